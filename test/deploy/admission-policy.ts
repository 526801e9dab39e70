import { setTimeout as sleep } from "node:timers/promises";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kustomize } from "./kustomize.ts";

/** The component as an overlay would patch it: for these namespaces. */
export async function loadAdmissionPolicy(namespaces: readonly string[]): Promise<readonly KubeObject[]> {
  const objects = await kustomize("components/admission-policy");
  for (const object of objects)
    if (object.kind === "MutatingAdmissionPolicyBinding")
      object["spec"].matchResources.namespaceSelector.matchExpressions[0].values = namespaces;
  return objects;
}

/**
 * Makes the API server put the finalizer on what is created in these namespaces, which must exist, as must the CRDs.
 * Returns once it does: it takes a policy up a moment after it was made, and until it has seen the schema of a CRD that
 * is as new it even refuses creations that match.
 */
export async function applyAdmissionPolicy(
  admin: KubeClient,
  namespaces: readonly string[],
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  for (const object of await loadAdmissionPolicy(namespaces)) await admin.apply(object);
  const deadline = performance.now() + timeoutMs;
  for (const kind of probes)
    while (!(await putsFinalizerOn(admin, { ...kind, metadata: { name: "probe", namespace: namespaces[0] ?? "" } }))) {
      if (performance.now() > deadline)
        throw new Error(`the admission policy did nothing within ${timeoutMs / 1000} s`);
      await sleep(100);
    }
}

const uid = "0123456789abcdef0123456789abcdef01234567";
const apiVersion = "iam.muster.dev/v1beta1";
const claimMatch = { issuer: "https://issuer.example", subject: "subject" };
const probes = [
  { apiVersion, kind: "Group", spec: { parentUid: uid } },
  { apiVersion, kind: "Identity", spec: { groupUid: uid, claimMatch } },
  {
    apiVersion,
    kind: "RoleBinding",
    spec: { groupUid: uid, identityUid: `${uid}/0123456789abcdef`, roleRef: { name: "viewer" } },
  },
];

async function putsFinalizerOn(admin: KubeClient, probe: KubeObject): Promise<boolean> {
  try {
    return (await admin.create(probe, { dryRun: true })).metadata.finalizers !== undefined;
  } catch (error) {
    if (error instanceof KubeError && error.message.includes("There can be a delay")) return false;
    throw error;
  }
}
