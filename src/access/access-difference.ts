import { isDeepStrictEqual } from "node:util";
import { outermost } from "#src/platform/authorization/grant.ts";
import { isBelow, isWithin, parentOf } from "#src/platform/contract/uid.ts";
import { type AccessModel, groupOf, listedGroups, listsBindingsOf } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { type AssumptionChange, assumptionChanges } from "./assumption-change.ts";
import { expiredAt } from "./expiry.ts";
import { type LoginGrantChange, loginGrantChanges, unreadLoginGrantsWith } from "./login-grant-changes.ts";
import { type Unread, unreadBindingsOn, unreadRoles } from "./unread.ts";

/** What an identity has after a change and did not have before, or the reverse: in a group, and everywhere below it. */
export interface AccessChange {
  readonly change: "gains" | "loses";
  readonly identity: KnownBinding["identity"];
  readonly group: string;
  /** The groups below `group` in which, and below which, nothing changes: the identity has the capabilities there before and after. */
  readonly except: readonly string[];
  /** By the names of the contract. Undefined: those of the role of `through`, which cannot be read. */
  readonly capabilities: ReadonlySet<string> | undefined;
  /** The role bindings in `group` that grant the capabilities: after the change if it gains them, otherwise before. */
  readonly through: readonly KnownBinding[];
  /** What could not be read, and may grant the capabilities both before and after. If it is not empty, nothing may change. */
  readonly unread: readonly Unread[];
}

export interface AccessDifference {
  /** By identity; what it gains before what it loses, from the root down. */
  readonly changes: readonly AccessChange[];
  /** By identity. */
  readonly assumptions: readonly AssumptionChange[];
  /** What people get who log in. */
  readonly loginGrants: readonly LoginGrantChange[];
  /** Where other identities may gain or lose something: a role changes, and its role bindings there cannot be read. */
  readonly unread: readonly Unread[];
  /**
   * The groups in which, and below which, role bindings were listed. What else some of the identities gain or lose in other groups is
   * unknown, because they are deleted, or because who can assume them changes. Absent: nothing is unknown.
   */
  readonly listedBelow?: readonly string[];
}

/**
 * What a change of role bindings, roles and identities makes of what each identity may do, and of who can assume it.
 * @param after the `changedModel` of `before`
 * @param now milliseconds since the epoch: static keys that have expired give nothing
 */
export function accessDifference(before: AccessModel, after: AccessModel, now: number): AccessDifference {
  const roles = changedRoles(before, after);
  const changes = changedIdentities(before, after, roles, now).flatMap((identity) => [
    ...exceeding({ change: "gains", identity, from: before, to: after, after, now }),
    ...exceeding({ change: "loses", identity, from: after, to: before, after, now }),
  ]);
  const assumptions = assumptionChanges(before, after);
  const isElsewhereUnknown = assumptions.length > 0 || endsOrRevives(before, after, now);
  return {
    changes,
    assumptions,
    loginGrants: loginGrantChanges(before, after, now),
    unread: [...unreadBindingsWith(roles, before, after), ...unreadLoginGrantsWith(roles, before, now)],
    ...(isElsewhereUnknown && !before.state.seesEverything ? { listedBelow: listedGroups(before) } : {}),
  };
}

/** The uids of the roles that have other capabilities after the change, or exist only before or after it. */
function changedRoles(before: AccessModel, after: AccessModel): ReadonlySet<string> {
  const uids = new Set([...before.roles.keys(), ...after.roles.keys()]);
  const isSame = (uid: string) =>
    isDeepStrictEqual(before.roles.get(uid)?.capabilities, after.roles.get(uid)?.capabilities);
  return new Set([...uids].filter((uid) => !isSame(uid)));
}

/** The uids of the identities that other role bindings or roles apply to, or whose keys expire or are renewed. */
function changedIdentities(
  before: AccessModel,
  after: AccessModel,
  roles: ReadonlySet<string>,
  now: number,
): readonly string[] {
  const grants = ({ bindingsOf }: AccessModel, identity: string) =>
    new Set((bindingsOf.get(identity) ?? []).map((binding) => `${groupOf(binding)} ${binding.role.uid}`));
  const isChanged = (uid: string) =>
    !isDeepStrictEqual(grants(before, uid), grants(after, uid)) ||
    (after.bindingsOf.get(uid) ?? []).some(({ role }) => roles.has(role.uid)) ||
    isExpired(before, uid, now) !== isExpired(after, uid, now);
  return [...new Set([...before.bindingsOf.keys(), ...after.bindingsOf.keys()])].filter(isChanged).toSorted();
}

/** Whether an identity is deleted, or its keys expire or are renewed. */
function endsOrRevives(before: AccessModel, after: AccessModel, now: number): boolean {
  return before.state.identities.some(
    ({ uid }) => !after.identities.has(uid) || isExpired(before, uid, now) !== isExpired(after, uid, now),
  );
}

function isExpired({ identities }: AccessModel, uid: string, now: number): boolean {
  return expiredAt(identities.get(uid), now) !== undefined;
}

/** A role can be bound in its group and below: the groups of changed roles where not all role bindings were listed. */
function unreadBindingsWith(roles: ReadonlySet<string>, before: AccessModel, after: AccessModel): readonly Unread[] {
  const groups = [...roles].flatMap((uid) => {
    const group = parentOf(uid);
    return group === undefined || !before.roles.has(uid) || listsBindingsOf(after, group) ? [] : [group];
  });
  return [...new Set(groups)].map((group) => ({ what: "roleBindings", group }));
}

interface Comparison {
  readonly change: AccessChange["change"];
  readonly identity: string;
  readonly from: AccessModel;
  readonly to: AccessModel;
  readonly after: AccessModel;
  readonly now: number;
}

/** What the identity has in `to` and not in `from`: capabilities with the same group, role bindings and exceptions together. */
function exceeding(comparison: Comparison): readonly AccessChange[] {
  const { change, from, identity: uid, now, to } = comparison;
  const had = capabilityRegions(from, uid, now);
  const rows = new Map<string, AccessChange & { readonly capabilities: Set<string> | undefined }>();
  for (const [key, regions] of capabilityRegions(to, uid, now)) {
    const { capability, role } = regions.given;
    for (const { except, group } of newRegions(regions, had.get(key))) {
      const through = regions.groups.get(group) ?? [];
      const rowKey = [role, group, through.map((binding) => binding.uid), except].join(" ");
      const row = rows.get(rowKey);
      if (capability !== undefined && row !== undefined) row.capabilities?.add(capability);
      if (row !== undefined) continue;
      rows.set(rowKey, {
        change,
        identity: { uid, name: to.identities.get(uid)?.name ?? through[0]?.identity.name ?? "" },
        group,
        except,
        capabilities: capability === undefined ? undefined : new Set([capability]),
        through,
        unread: unreadOf(comparison, group, role === undefined ? [] : through),
      });
    }
  }
  return [...rows.values()].toSorted((one, other) => (one.group < other.group ? -1 : 1));
}

/** The outermost groups that `has` covers and `had` does not, with those below them that `had` does. */
function newRegions(has: CapabilityRegions, had: CapabilityRegions | undefined) {
  const earlier = [...(had?.groups.keys() ?? [])];
  return outermost([...has.groups.keys()])
    .filter((group) => !earlier.some((above) => isWithin(above, group)))
    .map((group) => ({ group, except: outermost(earlier.filter((below) => isBelow(group, below))) }));
}

/** What could grant in `from`, too, what `to` grants in the group. */
function unreadOf({ after, from, identity, to }: Comparison, group: string, undecided: readonly KnownBinding[]) {
  // An identity that is created or deleted has nothing before or afterwards.
  if (to.identities.has(identity) && !from.identities.has(identity)) return unreadRoles(undecided);
  const others = (from.bindingsOf.get(identity) ?? []).filter(
    (binding) =>
      !from.roles.has(binding.role.uid) && (isWithin(groupOf(binding), group) || isBelow(group, groupOf(binding))),
  );
  return [...unreadBindingsOn(after, group), ...unreadRoles([...undecided, ...others])];
}

/** A capability by its name; or, if a role cannot be read, everything that it grants. */
type Given =
  | { readonly capability: string; readonly role?: never }
  | { readonly role: string; readonly capability?: never };

/** The groups in which, and below which, role bindings grant something, with these bindings. */
interface CapabilityRegions {
  readonly given: Given;
  readonly groups: ReadonlyMap<string, readonly KnownBinding[]>;
}

/**
 * Where an identity has each capability, by a text that is the same for what is the same in another model.
 * @param now milliseconds since the epoch: whose static keys have expired has nothing
 */
function capabilityRegions(
  { bindingsOf, identities, roles }: AccessModel,
  identity: string,
  now: number,
): ReadonlyMap<string, CapabilityRegions> {
  const found = new Map<string, { readonly given: Given; readonly groups: Map<string, KnownBinding[]> }>();
  if (expiredAt(identities.get(identity), now) !== undefined) return found;
  const add = (key: string, given: Given, binding: KnownBinding) => {
    const { groups } = found.get(key) ?? { groups: new Map<string, KnownBinding[]>() };
    const group = groupOf(binding);
    found.set(key, { given, groups: groups.set(group, [...(groups.get(group) ?? []), binding]) });
  };
  for (const binding of bindingsOf.get(identity) ?? []) {
    const role = roles.get(binding.role.uid);
    if (role === undefined) add(`role ${binding.role.uid}`, { role: binding.role.uid }, binding);
    else for (const capability of role.capabilities) add(`capability ${capability}`, { capability }, binding);
  }
  return found;
}
