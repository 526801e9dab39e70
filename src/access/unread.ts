import { ancestorsOf, parentOf } from "#src/platform/contract/uid.ts";
import { type AccessModel, listsBindingsOf } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";

/** What an answer would need, and the caller may not read. */
export type Unread =
  /** The role bindings of a group. */
  | { readonly what: "roleBindings"; readonly group: string }
  /** The role bindings of all groups below a group, except of these groups and those below them. */
  | { readonly what: "roleBindingsBelow"; readonly group: string; readonly except: readonly string[] }
  /** What people get who log in, in the groups, and if `below` is true also in all groups below the last one. */
  | { readonly what: "identityProviders" | "groupInvites"; readonly groups: readonly string[]; readonly below: boolean }
  /** The capabilities of a role, which a role binding or a login grants. The role belongs to the group. */
  | { readonly what: "role"; readonly role: string; readonly name: string; readonly group: string | undefined };

/** The groups whose bindings apply on `uid` and are not listed, from the root down. */
export function unreadBindingsOn(model: AccessModel, uid: string): readonly Unread[] {
  return [...ancestorsOf(uid), uid]
    .filter((group) => !listsBindingsOf(model, group))
    .map((group) => ({ what: "roleBindings", group }));
}

/** The roles of what grants them, each once. */
export function unreadRoles(bindings: readonly Pick<KnownBinding, "role">[]): readonly Unread[] {
  const roles = new Map(bindings.map(({ role }) => [role.uid, role.name]));
  return [...roles].map(([role, name]) => ({ what: "role", role, name, group: parentOf(role) }));
}
