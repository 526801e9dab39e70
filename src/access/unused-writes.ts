import { outermost } from "#src/platform/authorization/grant.ts";
import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownBinding, KnownRole } from "./access-state.ts";
import type { EarlierGrants } from "./earlier-grants.ts";
import { type HiddenUse, hiddenUses } from "./hidden-uses.ts";
import { recordedWrites } from "./recorded-writes.ts";
import { type Unread, unreadRoles } from "./unread.ts";
import type { UsedWrites } from "./used-writes.ts";

/** A built-in role that has less than the bound one, and all that was used of it. */
export interface SmallerRole {
  readonly role: KnownRole;
  /** The reads of the bound role that it lacks. Empty if there is a role that keeps every read. */
  readonly lostReads: readonly string[];
}

/** A role binding with writes that were not used. Capabilities have the names of the contract. */
export interface UnusedWrites {
  readonly binding: KnownBinding;
  readonly unused: readonly string[];
  readonly used: readonly string[];
  /** The writes that changes may have used whose records cannot be read. */
  readonly perhapsUsed: readonly string[];
  /** Whether nothing but unused writes is bound: then no role is needed. */
  readonly isNeedless: boolean;
  /** Absent if no built-in role has less and keeps every used write. */
  readonly smaller?: SmallerRole;
}

export interface UnusedAccess {
  readonly bindings: readonly UnusedWrites[];
  /** Role bindings that are younger than the period: nothing is said about them. */
  readonly recent: readonly KnownBinding[];
  /** Role bindings that were changed within the period, or whose roles may have been: nothing is said about them, either. */
  readonly changed: readonly KnownBinding[];
  /** The groups with role bindings whose audit records cannot be read, the outermost ones: nothing is said about these. */
  readonly unreadRecords: readonly string[];
  /** The groups of identities whose audit records would show whether the writes were used that perhaps were, the outermost ones. */
  readonly hiddenRecords: readonly string[];
  readonly unread: readonly Unread[];
}

export interface UnusedQuestion {
  readonly bindings: readonly KnownBinding[];
  /** The roles that had their capabilities for the whole period. */
  readonly roles: ReadonlyMap<string, KnownRole>;
  readonly used: UsedWrites;
  /** What role bindings granted before they were changed or deleted within the period. */
  readonly grants: ReadonlyMap<string, EarlierGrants>;
  /** The begin of the period, in milliseconds since the epoch. */
  readonly since: number;
  /** Whether the audit records of a group and of everything below it were read. */
  readonly canReadRecords: (group: string) => boolean;
}

/** Which writes of role bindings were not used in a period. What is not recorded, such as a read, is never called unused. */
export function unusedAccess(model: AccessModel, question: UnusedQuestion): UnusedAccess {
  const { canReadRecords, grants, roles, since } = question;
  // There is nothing to say about a role without a write.
  const bindings = question.bindings.filter(({ role }) => mayWrite(model.roles.get(role.uid)));
  const groups = [...new Set(bindings.map(groupOf))].toSorted();
  const unreadRecords = new Set(groups.filter((group) => !canReadRecords(group)));
  const {
    known = [],
    recent = [],
    changed = [],
    unknown = [],
  } = Object.groupBy(
    bindings.filter((binding) => !unreadRecords.has(groupOf(binding))),
    (binding) => {
      if (!model.roles.has(binding.role.uid)) return "unknown";
      if (!isOlder(binding, since)) return "recent";
      return roles.has(binding.role.uid) && !grants.has(binding.uid) ? "known" : "changed";
    },
  );
  const hidden = hiddenUses(model, question);
  const judged = known.flatMap((binding) => judge(model, question, binding, hidden.get(groupOf(binding))));
  return {
    bindings: judged.filter(({ unused }) => unused.length > 0),
    recent,
    changed,
    unreadRecords: outermost([...unreadRecords]),
    hiddenRecords: outermost(
      judged.flatMap(({ binding, perhapsUsed }) =>
        perhapsUsed.length === 0 ? [] : [...(hidden.get(groupOf(binding))?.records ?? [])],
      ),
    ),
    unread: unreadRoles(unknown),
  };
}

/** Also true of a role that cannot be read. */
function mayWrite(role: KnownRole | undefined): boolean {
  return role === undefined || [...role.capabilities].some((capability) => recordedWrites.has(capability));
}

/** A role binding without a time may be younger. */
function isOlder({ createTime }: KnownBinding, since: number): boolean {
  return createTime !== undefined && Date.parse(createTime) <= since;
}

function judge(
  { state }: AccessModel,
  { roles, used }: UnusedQuestion,
  binding: KnownBinding,
  hidden: HiddenUse | undefined,
): readonly UnusedWrites[] {
  const bound = roles.get(binding.role.uid)?.capabilities;
  if (bound === undefined) return [];
  const writes = [...bound].filter((capability) => recordedWrites.has(capability));
  const {
    usedOnes = [],
    perhapsUsed = [],
    unused = [],
  } = Object.groupBy(writes, (capability) => {
    if (used.get(binding.uid)?.has(capability)) return "usedOnes";
    return hidden?.capabilities.has(capability) ? "perhapsUsed" : "unused";
  });
  const needed = [...bound].filter((capability) => !unused.includes(capability));
  const builtIn = state.roles.filter(({ uid }) => !uid.includes("/"));
  const smaller = needed.length === 0 ? undefined : smallerRole(bound, needed, builtIn);
  return [
    {
      binding,
      unused,
      used: usedOnes,
      perhapsUsed,
      isNeedless: needed.length === 0,
      ...(smaller === undefined ? {} : { smaller }),
    },
  ];
}

/** Never a role with a capability that is not bound now: a proposal must not widen access. */
function smallerRole(
  bound: ReadonlySet<string>,
  needed: readonly string[],
  builtIn: readonly KnownRole[],
): SmallerRole | undefined {
  const [best] = builtIn
    .filter(({ capabilities }) => capabilities.size < bound.size && [...capabilities].every((one) => bound.has(one)))
    .map((role) => ({ role, lostReads: needed.filter((capability) => !role.capabilities.has(capability)) }))
    .filter(({ lostReads }) => !lostReads.some((capability) => recordedWrites.has(capability)))
    .toSorted(
      (one, other) =>
        one.lostReads.length - other.lostReads.length || one.role.capabilities.size - other.role.capabilities.size,
    );
  return best;
}

/**
 * The roles that are known to have had their capabilities for a whole period, by uid. A role without a time may have been
 * changed, unless it is built in.
 * @param since the begin of the period, in milliseconds since the epoch
 */
export function unchangedRoles({ state }: AccessModel, since: number): ReadonlyMap<string, KnownRole> {
  const isUnchanged = ({ uid, updateTime }: KnownRole) =>
    updateTime === undefined ? !uid.includes("/") : Date.parse(updateTime) <= since;
  return new Map(state.roles.filter(isUnchanged).map((role) => [role.uid, role]));
}
