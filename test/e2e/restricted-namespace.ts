import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, kindRef } from "#test/support/harness/muster-objects.ts";

const namespace = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
});

/** Creates a namespace in which every pod must satisfy the restricted Pod Security Standard. */
export async function createRestricted(admin: KubeClient, name: string): Promise<void> {
  await admin.create(namespace(name));
}

/** Deletes a namespace, and returns when it is gone. */
export async function removeNamespace(admin: KubeClient, name: string): Promise<void> {
  await admin.delete(namespace(name));
  await admin.waitUntilGone(namespace(name), { timeoutMs: 120_000 });
}

/** Removes Tenants and the CRDs, after the last operator and its objects, as docs/operate/uninstall.md says. */
export async function removeDefinitions(admin: KubeClient): Promise<void> {
  const tenant = { ...kindRef("Group"), kind: "Tenant" };
  for (const { metadata } of await admin.list(tenant)) {
    await admin.patch({ ...tenant, metadata }, { metadata: { finalizers: null } });
    await admin.delete({ ...tenant, metadata });
  }
  const definition = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const definitions = (await admin.list(definition)).filter(({ spec }) => spec.group === "iam.muster.dev");
  if (definitions.length !== allMusterKinds.length + 1)
    throw new Error(`there are ${definitions.length} definitions of Muster`);
  for (const one of definitions) await admin.delete(one);
  for (const one of definitions) await admin.waitUntilGone(one);
}
