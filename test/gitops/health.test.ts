import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { evaluate } from "#test/support/monitoring-tools/monitoring-tools.ts";
import { kstatus } from "./kstatus.ts";
import { recordedObjects, type RecordedObject } from "./recorded-objects.ts";

/** The recorded states, with the health that Argo CD shows and the status that kstatus (Flux) computes. */
const expected: readonly (readonly [state: string, health: string, status: string])[] = [
  ["applied, and not seen by the operator yet", "Progressing", "InProgress"],
  ["Ready", "Healthy", "Current"],
  ["waiting for another object", "Progressing", "InProgress"],
  ["denied by the Tenant", "Degraded", "Failed"],
  ["expired", "Degraded", "Failed"],
  ["paused", "Suspended", "InProgress"],
  ["observed, and not on the platform", "Degraded", "InProgress"],
  ["in conflict with another object", "Degraded", "Failed"],
  ["a Tenant with a group that the operator may not use", "Degraded", "InProgress"],
  ["changed, and not seen by the operator yet", "Progressing", "InProgress"],
];

const objects = JSON.parse(await readFile(recordedObjects, "utf8")) as readonly RecordedObject[];
const configMap = await readFile(new URL("../../deploy/argocd/argocd-cm.yaml", import.meta.url), "utf8");

describe("health of real objects", () => {
  const { data } = parse(configMap) as { readonly data: Readonly<Record<string, string>> };
  let health: readonly { readonly status: string; readonly message: string }[];

  beforeAll(async () => {
    const results = await Promise.all(
      objects.map(({ object }) =>
        evaluate({
          lua: data[`resource.customizations.health.iam.muster.dev_${object.kind}`] ?? "",
          objects: [object],
        }),
      ),
    );
    health = results.flatMap((one) => one.health ?? []);
  });

  it("covers every recorded state", () => {
    expect(new Set(objects.map(({ state }) => state))).toEqual(new Set(expected.map(([state]) => state)));
  });

  it.each(expected)("%s: %s for Argo CD, %s for kstatus", (state, wanted, status) => {
    for (const [index, { object, state: its }] of objects.entries()) {
      if (its !== state) continue;
      expect(health[index]?.status, object.kind).toBe(wanted);
      expect(kstatus(object), object.kind).toBe(status);
      // The message says what to do, or what Argo CD waits for.
      expect(health[index]?.message.length).toBeGreaterThan(10);
    }
  });
});
