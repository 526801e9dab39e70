import type { CommandContext } from "#src/commands/command.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import { type OptionalClusterValues, readOptionalCluster } from "#src/commands/reader/optional-cluster.ts";
import { namespaceResource } from "#src/kube/namespaces.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { isBeingDeleted, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { isSelected } from "#src/reconcile/tenancy/namespace-selection.ts";

/**
 * The names of the Tenants in the cluster that select the namespace, sorted, but for the one that the import writes, which has the
 * name of the namespace: with that one, they overlap. None if the cluster cannot be read.
 * @throws {KubeConfigError} if the settings name a cluster to which no connection can be configured
 */
export async function otherTenants(
  namespace: string,
  values: OptionalClusterValues,
  context: Pick<CommandContext, "env" | "signal">,
): Promise<readonly string[]> {
  const found = await readOptionalCluster(values, context, 2, async (kube) => {
    const cluster = new ClusterReads(kube, context.signal);
    return Promise.all([
      cluster.list<KubeObject>(tenantResource),
      cluster.get<KubeObject>(namespaceResource, undefined, namespace),
    ]);
  });
  const [tenants, existing] = found.read ? found.value : [];
  if (tenants?.state !== "found") return [];
  const labels = existing?.state === "found" ? (existing.value.metadata.labels ?? {}) : undefined;
  return tenants.value
    .map((tenant) => parseTenant(tenant))
    .filter(
      (tenant) => !isBeingDeleted(tenant) && tenant.spec !== undefined && isSelected(tenant.spec, namespace, labels),
    )
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== namespace)
    .toSorted();
}
