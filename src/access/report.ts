import { ancestorsOf, isWithin } from "#src/platform/contract/uid.ts";
import { type AccessModel, groupOf, listedGroups, listsBindingsOf } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { type Unread, unreadBindingsOn, unreadRoles } from "./unread.ts";

/** Where a role binding is, seen from the group of a report: what is above applies in all of it. */
export type Reach = "above" | "here" | "below";

export interface ReportedBinding {
  readonly binding: KnownBinding;
  readonly reach: Reach;
}

/** Who may do what in a group and in everything below it. */
export interface AccessReport {
  /** The uids of the groups above it, of the group itself and of those below it: each one directly before those in it. */
  readonly groups: readonly string[];
  /** Each role binding that grants something there. */
  readonly bindings: readonly ReportedBinding[];
  /** If this is not empty, there may be more. */
  readonly unread: readonly Unread[];
}

/** @param at the uid of a group */
export function accessReport(model: AccessModel, at: string): AccessReport {
  const above = ancestorsOf(at);
  const bindings = model.state.bindings.flatMap((binding) => {
    const reach = reachOf(groupOf(binding), at);
    return reach === undefined ? [] : [{ binding, reach }];
  });
  const below = [...model.state.groups.map(({ uid }) => uid), ...bindings.map(({ binding }) => groupOf(binding))];
  // A group that cannot be read contains the groups below it nevertheless.
  const within = below.flatMap((uid) => [...ancestorsOf(uid), uid]).filter((uid) => isWithin(at, uid));
  const unknownRoles = bindings.map(({ binding }) => binding).filter(({ role }) => !model.roles.has(role.uid));
  return {
    groups: [...new Set([...above, at, ...within])].toSorted(),
    bindings,
    unread: [...unreadBindingsOn(model, at), ...unreadBelow(model, at), ...unreadRoles(unknownRoles)],
  };
}

/** Undefined if what is granted in the group does not apply in the report's group, or in one below it. */
export function reachOf(group: string, at: string): Reach | undefined {
  if (group === at) return "here";
  if (isWithin(group, at)) return "above";
  return isWithin(at, group) ? "below" : undefined;
}

/** Who can list the role bindings of a group lists those below it, too. */
function unreadBelow(model: AccessModel, at: string): readonly Unread[] {
  if (listsBindingsOf(model, at)) return [];
  return [{ what: "roleBindingsBelow", group: at, except: listedGroups(model).filter((uid) => isWithin(at, uid)) }];
}
