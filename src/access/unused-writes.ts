import { outermost } from "#src/platform/access/grant.ts";
import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownBinding, KnownRole } from "./access-state.ts";
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
  /** Whether nothing but unused writes is bound: then no role is needed. */
  readonly isNeedless: boolean;
  /** Absent if no built-in role has less and keeps every used write. */
  readonly smaller?: SmallerRole;
}

export interface UnusedAccess {
  readonly bindings: readonly UnusedWrites[];
  /** Role bindings that are younger than the period: nothing is said about them. */
  readonly recent: readonly KnownBinding[];
  /** The groups with role bindings whose audit records cannot be read, the outermost ones: nothing is said about these. */
  readonly unreadRecords: readonly string[];
  readonly unread: readonly Unread[];
}

const none: ReadonlySet<string> = new Set();

export interface UnusedQuestion {
  readonly bindings: readonly KnownBinding[];
  readonly used: UsedWrites;
  /** The begin of the period, in milliseconds since the epoch. */
  readonly since: number;
  /** Whether the audit records of a group and of everything below it were read. */
  readonly canReadRecords: (group: string) => boolean;
}

/** Which writes of role bindings were not used in a period. What is not recorded, such as a read, is never called unused. */
export function unusedAccess(model: AccessModel, question: UnusedQuestion): UnusedAccess {
  const { canReadRecords, since, used } = question;
  // There is nothing to say about a role without a write.
  const bindings = question.bindings.filter(({ role }) => mayWrite(model.roles.get(role.uid)));
  const builtIn = model.state.roles.filter(({ uid }) => !uid.includes("/"));
  const groups = [...new Set(bindings.map(groupOf))].toSorted();
  const unreadRecords = new Set(groups.filter((group) => !canReadRecords(group)));
  const {
    known = [],
    recent = [],
    unknown = [],
  } = Object.groupBy(
    bindings.filter((binding) => !unreadRecords.has(groupOf(binding))),
    (binding) => {
      if (!model.roles.has(binding.role.uid)) return "unknown";
      return isOlder(binding, since) ? "known" : "recent";
    },
  );
  return {
    bindings: known.flatMap((binding) => {
      const role = model.roles.get(binding.role.uid);
      return role === undefined ? [] : unusedOf(binding, role.capabilities, used.get(binding.uid) ?? none, builtIn);
    }),
    recent,
    unreadRecords: outermost([...unreadRecords]),
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

function unusedOf(
  binding: KnownBinding,
  bound: ReadonlySet<string>,
  usedInGroup: ReadonlySet<string>,
  builtIn: readonly KnownRole[],
): readonly UnusedWrites[] {
  const unused = [...bound].filter((capability) => recordedWrites.has(capability) && !usedInGroup.has(capability));
  if (unused.length === 0) return [];
  const needed = [...bound].filter((capability) => !unused.includes(capability));
  const smaller = needed.length === 0 ? undefined : smallerRole(bound, needed, builtIn);
  return [
    {
      binding,
      unused,
      used: needed.filter((capability) => recordedWrites.has(capability)),
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
