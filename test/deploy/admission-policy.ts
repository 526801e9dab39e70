import { setTimeout as sleep } from "node:timers/promises";
import { apiVersion } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { cases } from "#test/manifests/cases.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kustomize } from "./kustomize.ts";

/**
 * Applies the policy that adds the finalizer, and returns once it is in effect for every kind. The CRDs must exist. The API
 * server starts to enforce a policy a moment after its creation; until it has read the schema of a new CRD, it even rejects
 * the creation of objects that match.
 * @param folder of the policy; another commit's, by its absolute path
 */
export async function applyAdmissionPolicy(
  admin: KubeClient,
  { timeoutMs = 30_000, folder = "components/admission-policy" }: { timeoutMs?: number; folder?: string } = {},
): Promise<void> {
  for (const object of await kustomize(folder)) await admin.apply(object);
  await policyInEffect(admin, timeoutMs);
}

/** Returns once the policy that adds the finalizer is in effect for every kind. */
export async function policyInEffect(admin: KubeClient, timeoutMs = 30_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (const { name: kind } of kinds) {
    const metadata = { name: "probe", namespace: "default" };
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
