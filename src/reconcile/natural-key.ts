import type { RowKeys } from "#src/platform-client/collection-view.ts";
import type { GroupRow, IdentityRow, RoleBindingRow } from "#src/platform-client/rows.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { markerIn } from "./marker.ts";

/**
 * What names a thing on the platform, whatever its uid: the marker where there is a description to carry one, and for
 * a role binding, which has none, what it binds.
 */
const marked: RowKeys<GroupRow | IdentityRow> = {
  naturalKey: (row) => markerIn(row.description),
  name: (row) => row.name,
};

const binding: RowKeys<RoleBindingRow> = {
  naturalKey: (row) => bindingKey(parentOf(row.uid) ?? "", row.identity.uid, row.role.uid),
  name: () => undefined,
};

export const rowKeys = { groups: marked, identities: marked, roleBindings: binding } as const;

export function bindingKey(group: string, identity: string, role: string): string {
  return `${group} ${identity} ${role}`;
}
