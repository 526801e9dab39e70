import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { customResourceDefinitions } from "#test/support/harness/custom-resource-definitions.ts";

/** What the API server does not have to check any longer: the CEL rules, or the whole schema. */
export type LeftOut = "rules" | "schema";

/** Replaces the CRDs with ones without a part, and returns once the API server serves them. */
export async function leaveOut(admin: KubeClient, part: LeftOut): Promise<void> {
  for (const definition of await customResourceDefinitions()) {
    const current = await admin.get(definition);
    const versions = definition["spec"].versions.map((version: { readonly schema: object }) => ({
      ...version,
      schema:
        part === "rules"
          ? withoutRules(version.schema)
          : { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }));
    await admin.request("PUT", await admin.pathOf(definition), {
      body: { ...definition, metadata: current?.metadata, spec: { ...definition["spec"], versions } },
    });
  }
}

function withoutRules<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutRules) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => name !== "x-kubernetes-validations");
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutRules(value)])) as T;
}
