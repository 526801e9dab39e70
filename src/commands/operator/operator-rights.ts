import { apiGroup } from "#src/api/custom-resource.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import type { Right } from "#src/kube/right.ts";
import type { Kind } from "#src/kinds/kind.ts";

/** What the operator needs of RBAC in the whole cluster. A test compares it with the ClusterRole of `deploy/`. */
export function operatorRights(kinds: readonly Kind[]): readonly Right[] {
  const plurals = [...kinds.map(({ definition }) => definition.plural), tenantDefinition.plural];
  const own = plurals.flatMap((resource): Right[] => [
    ...["get", "list", "watch", "patch"].map((verb) => ({ verb, group: apiGroup, resource })),
    { verb: "patch", group: apiGroup, resource, subresource: "status" },
  ]);
  return [
    ...own,
    ...["create", "patch"].map((verb) => ({ verb, group: "events.k8s.io", resource: "events" })),
    ...["list", "watch"].map((verb) => ({ verb, group: "", resource: "namespaces" })),
    { verb: "get", group: "", resource: "namespaces", name: "kube-system" },
    ...plurals.map((plural) => ({
      verb: "get",
      group: "apiextensions.k8s.io",
      resource: "customresourcedefinitions",
      name: `${plural}.${apiGroup}`,
    })),
  ];
}

/** What the operator needs of RBAC for its Lease. */
export function leaseRights({
  namespace,
  name,
}: {
  readonly namespace: string;
  readonly name: string;
}): readonly Right[] {
  const lease = { group: "coordination.k8s.io", resource: "leases", namespace };
  return [{ verb: "create", ...lease }, ...["get", "update"].map((verb) => ({ verb, ...lease, name }))];
}
