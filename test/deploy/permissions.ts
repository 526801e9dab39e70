import type { RequestCount } from "#test/support/control-plane/audit.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** What a role permits: `VERB RESOURCE.GROUP`, with `/SUBRESOURCE` for a subresource. */
export function permissionsOf(role: KubeObject): string[] {
  const rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[] = role["rules"] ?? [];
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => {
        const [plural, subresource] = resource.split("/");
        const name = `${group === "" ? plural : `${plural}.${group}`}${subresource === undefined ? "" : `/${subresource}`}`;
        return verbs.map((verb) => `${verb} ${name}`);
      }),
    ),
  );
}

/** The permissions that requests used, as `permissionsOf` names them. */
export function usedPermissions(counts: readonly RequestCount[]): string[] {
  const used = counts.map((row) => `${row.verb} ${row.resource}${row.subresource && `/${row.subresource}`}`);
  return [...new Set(used)].toSorted();
}
