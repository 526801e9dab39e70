import { setTimeout as sleep } from "node:timers/promises";
import { apiVersion } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kustomize } from "./kustomize.ts";

/** Returns the objects of the component, bound to these namespaces as an overlay would bind them. */
export async function loadAdmissionPolicy(namespaces: readonly string[]): Promise<readonly KubeObject[]> {
  const objects = await kustomize("components/admission-policy");
  for (const object of objects)
    if (object.kind === "MutatingAdmissionPolicyBinding")
      object["spec"].matchResources.namespaceSelector.matchExpressions[0].values = namespaces;
  return objects;
}

/**
 * Applies the admission policy to these namespaces, and returns once it is in effect for every kind. The namespaces and
 * the CRDs must exist. The API server starts to enforce a policy a moment after its creation; until it has read the schema
 * of a new CRD, it even rejects the creation of objects that match.
 */
export async function applyAdmissionPolicy(
  admin: KubeClient,
  namespaces: readonly string[],
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  for (const object of await loadAdmissionPolicy(namespaces)) await admin.apply(object);
  const deadline = performance.now() + timeoutMs;
  for (const { name: kind } of kinds) {
    const metadata = { name: "probe", namespace: namespaces[0] ?? "" };
    const probe = { apiVersion, kind, metadata, spec: cases[kind].valid[0]?.spec };
    while (!(await getsFinalizer(admin, probe))) {
      if (performance.now() > deadline)
        throw new Error(`the admission policy was not in effect for ${kind} within ${timeoutMs / 1000} s`);
      await sleep(100);
    }
  }
}

async function getsFinalizer(admin: KubeClient, probe: KubeObject): Promise<boolean> {
  try {
    return (await admin.create(probe, { dryRun: true })).metadata.finalizers !== undefined;
  } catch (error) {
    if (error instanceof KubeError && error.message.includes("There can be a delay")) return false;
    throw error;
  }
}
