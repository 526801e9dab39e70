import type { ResourceKeys } from "#src/platform-client/collection-view.ts";
import type { ExternalGroup, ExternalIdentity, ExternalRoleBinding } from "#src/platform-client/external-resource.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { markerIn } from "#src/kinds/marker.ts";

/**
 * The natural key of an external resource identifies it whatever its uid: the marker, where there is a description to
 * carry one; for a role binding, which has none, what it binds.
 */
const marked: ResourceKeys<ExternalGroup | ExternalIdentity> = {
  naturalKey: (external) => markerIn(external.description),
  name: (external) => external.name,
};

const binding: ResourceKeys<ExternalRoleBinding> = {
  naturalKey: (external) => bindingKey(parentOf(external.uid) ?? "", external.identity.uid, external.role.uid),
  name: () => undefined,
};

export const rowKeys = { groups: marked, identities: marked, roleBindings: binding } as const;

export function bindingKey(group: string, identity: string, role: string): string {
  return `${group} ${identity} ${role}`;
}
