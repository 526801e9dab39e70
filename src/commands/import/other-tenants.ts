import { isDeepStrictEqual } from "node:util";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import type { CommandContext } from "#src/commands/command.ts";
import { tenantResource } from "#src/commands/operator/tenancy-caches.ts";
import { ClusterReads } from "#src/commands/reader/cluster-reads.ts";
import { type OptionalClusterValues, readOptionalCluster } from "#src/commands/reader/optional-cluster.ts";
import type { ImportedObject } from "#src/import/imported-tree.ts";
import { namespaceResource } from "#src/kube/namespaces.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { type CachedTenant, isBeingDeleted, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { isSelected } from "#src/reconcile/tenancy/namespace-selection.ts";

/** The Tenants in the cluster that matter to the one that an import writes, which has the name of the namespace. */
export interface OtherTenants {
  /** The names of the others that select the namespace, sorted: with that one, they overlap. */
  readonly overlapping: readonly string[];
  /** The one with the same name, which that one would replace. */
  readonly sameName?: CachedTenant;
}

/**
 * Reads the Tenants; none if the cluster cannot be read.
 * @throws {KubeConfigError} if the settings name a cluster to which no connection can be configured
 */
export async function otherTenants(
  namespace: string,
  values: OptionalClusterValues,
  context: Pick<CommandContext, "env" | "signal">,
): Promise<OtherTenants> {
  const found = await readOptionalCluster(values, context, 2, async (kube) => {
    const cluster = new ClusterReads(kube, context.signal);
    return Promise.all([
      cluster.list<KubeObject>(tenantResource),
      cluster.get<KubeObject>(namespaceResource, undefined, namespace),
    ]);
  });
  const [tenants, existing] = found.read ? found.value : [];
  if (tenants?.state !== "found") return { overlapping: [] };
  const labels = existing?.state === "found" ? (existing.value.metadata.labels ?? {}) : undefined;
  const parsed = tenants.value.map((tenant) => parseTenant(tenant));
  const sameName = parsed.find(({ metadata }) => metadata.name === namespace);
  const overlapping = parsed
    .filter(
      (tenant) => !isBeingDeleted(tenant) && tenant.spec !== undefined && isSelected(tenant.spec, namespace, labels),
    )
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== namespace)
    .toSorted();
  return { overlapping, ...(sameName === undefined ? {} : { sameName }) };
}

/** Whether a Tenant says what a manifest of one says, whose fields may be absent that have a default. */
export function isSameTenant({ spec }: Pick<ImportedObject, "spec">, tenant: CachedTenant): boolean {
  return isDeepStrictEqual(tenantSpecSchema.parse(spec), tenant.spec);
}
