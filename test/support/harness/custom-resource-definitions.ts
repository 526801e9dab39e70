import { readdir, readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** The CRDs of `crds/`. @param folder another `crds/`, such as that of another commit */
export async function customResourceDefinitions(
  folder = new URL("../../../crds/", import.meta.url),
): Promise<KubeObject[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml"));
  const documents = await Promise.all(
    files.map(async (file) => parseAllDocuments(await readFile(new URL(file, folder), "utf8"))),
  );
  return documents.flat().map((document) => document.toJS() as KubeObject);
}

/** Whether the API server serves the kind that the CRD defines. */
export function isEstablished(object: KubeObject | undefined): boolean {
  const conditions: { type: string; status: string }[] = object?.["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}
