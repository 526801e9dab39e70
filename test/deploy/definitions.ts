import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** Applies `crds/`, and returns once the API server serves the kinds. */
export async function applyDefinitions(admin: KubeClient): Promise<void> {
  const folder = new URL("../../crds/", import.meta.url);
  for (const file of await readdir(folder)) {
    const definition = parse(await readFile(new URL(file, folder), "utf8")) as KubeObject;
    await admin.apply(definition);
    await admin.waitFor(definition, (seen) => {
      const conditions: readonly Condition[] = seen?.["status"]?.conditions ?? [];
      return conditions.some(({ type, status }) => type === "Established" && status === "True");
    });
  }
}
