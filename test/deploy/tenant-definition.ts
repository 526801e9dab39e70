import { customResourceDefinition } from "#src/api/crd.ts";
import { groupDefinition } from "#src/api/group.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";

const { metadata, ...group } = customResourceDefinition(groupDefinition);
const name = "tenants.iam.muster.dev";

/** As much of the Tenant's CRD as the admission policies depend on: its names, its scope and its status subresource. */
const tenantDefinition: KubeObject = {
  ...group,
  metadata: { ...metadata, name },
  spec: {
    ...group.spec,
    scope: "Cluster",
    names: { kind: "Tenant", listKind: "TenantList", plural: "tenants", singular: "tenant", shortNames: ["mtenant"] },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Makes the API server serve Tenants, unless `crds/` already did. */
export async function applyTenantDefinition(admin: KubeClient): Promise<void> {
  if ((await admin.find(tenantDefinition)) !== undefined) return;
  await admin.apply(tenantDefinition);
  await admin.waitFor(tenantDefinition, (seen) => {
    const conditions: readonly { type: string; status: string }[] = seen?.["status"]?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "Established" && status === "True");
  });
}
