import type { OpenedAccess } from "./open-access.ts";
import { accessReport, type Reach, reachOf } from "#src/access/report.ts";
import { expiredAt } from "#src/access/expiry.ts";
import { groupOfGrant, openLoginGrants, unreadLoginGrants } from "#src/access/login-grants.ts";
import { groupOf } from "#src/access/access-model.ts";
import {
  type DeclaredBy,
  dottedNames,
  type GroupView,
  type IdentityView,
  type LinkView,
  type UnreadView,
} from "./access-view.ts";
import { type LoginGrantView, shownLogins } from "./login-grant-view.ts";

/** A role with all that it grants. */
export interface ReportedRole {
  readonly uid: string;
  readonly name: string;
  readonly builtIn: boolean;
  /** By their dotted names. Absent if they cannot be read. */
  readonly capabilities?: readonly string[];
}

export interface ReportedLink extends LinkView {
  readonly identity: IdentityView;
  /** RFC 3339: when the static keys of the identity have expired. Then nobody can use it. */
  readonly expired?: string;
  /** `above`: it applies in the whole group of the report. */
  readonly reach: Reach;
}

/** An access review: what the report prints in every format. */
export interface ReportContent {
  readonly group: GroupView;
  readonly platform: string;
  /** RFC 3339: when the platform was read. */
  readonly time: string;
  /** Whether everything could be read. */
  readonly complete: boolean;
  readonly unknown: readonly UnreadView[];
  /** Each group directly before those in it. */
  readonly groups: readonly GroupView[];
  /** The roles that are bound, in alphabetical order. */
  readonly roles: readonly ReportedRole[];
  /** Undeclared access first; then by the path of the identity. */
  readonly roleBindings: readonly ReportedLink[];
  /** What people get who log in: above the group, in it, and below. */
  readonly loginGrants: readonly LoginGrantView[];
}

/** @param at the uid of a group */
export function reportContent({ model, now, platformUrl, view }: OpenedAccess, at: string): ReportContent {
  const report = accessReport(model, at);
  const groups = new Map(report.groups.map((uid) => [uid, view.group(uid)]));
  const links = report.bindings.map(({ binding, reach }): ReportedLink => {
    const { identity } = binding;
    const expired = expiredAt(model.identities.get(identity.uid), now);
    return {
      identity: view.identity(identity.uid, identity.name),
      ...(expired === undefined ? {} : { expired }),
      // One object for each group, because thousands of role bindings may be in it.
      ...view.link(binding),
      group: groups.get(groupOf(binding)) ?? view.group(groupOf(binding)),
      reach,
    };
  });
  const logins = openLoginGrants(model, now).filter((grant) => reachOf(groupOfGrant(grant), at) !== undefined);
  const shown = shownLogins(view, logins, {
    unread: report.unread,
    unreadGrants: unreadLoginGrants(model, at, now, true),
  });
  const unknown = model.groups.has(at) ? shown.unknown : [view.unreadGroup(at), ...shown.unknown];
  return {
    group: view.group(at),
    platform: platformUrl.href,
    time: new Date(now).toISOString(),
    complete: unknown.length === 0,
    unknown,
    groups: [...groups.values()],
    roles: rolesOf(links, model),
    roleBindings: links.toSorted(undeclaredFirst),
    loginGrants: shown.loginGrants,
  };
}

function rolesOf(links: readonly LinkView[], { roles }: OpenedAccess["model"]): readonly ReportedRole[] {
  const bound = new Map(links.map(({ role }) => [role.uid, role]));
  return [...bound.values()]
    .map((role) => {
      const known = roles.get(role.uid);
      return { ...role, ...(known === undefined ? {} : { capabilities: dottedNames(known.capabilities) }) };
    })
    .toSorted((one, other) => compare(one.name, other.name) || compare(one.uid, other.uid));
}

function undeclaredFirst(one: ReportedLink, other: ReportedLink): number {
  return (
    rankOf(one) - rankOf(other) ||
    compare(one.identity.path, other.identity.path) ||
    compare(one.group.path, other.group.path) ||
    compare(one.roleBinding.uid, other.roleBinding.uid)
  );
}

/** The role binding matters before the identity: it is what grants something. */
function rankOf({ identity, roleBinding }: ReportedLink): number {
  const ranks = { undeclared: 0, unknown: 2 };
  const rank = (declaredBy: DeclaredBy) => (typeof declaredBy === "string" ? ranks[declaredBy] : 4);
  return rank(roleBinding.declaredBy) + (identity.declaredBy === "undeclared" ? 0 : 1);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
