import { confirmAnnotation } from "#src/api/annotations.ts";
import type { Condition } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import type { Undeclared } from "#src/api/status.ts";
import type { MonotonicTime, ObservedUndeclared, Removal, SparingReason } from "#src/reconcile/observe/observed.ts";
import { retryOf } from "./attempted.ts";
import type { DecisionInput } from "./decision-input.ts";
import { currentMs } from "./freshness.ts";
import { type Event, noLaterThan, type PlatformStep, type Step } from "./step.ts";

/**
 * What the object of a group says about resources in the group that nobody declared, and which of them is removed next.
 * The status and the condition change only with what they say: at rest, they cost no write.
 */

/** How many resources the status lists. */
export const listedUndeclared = 10;

type Assessed = Extract<ObservedUndeclared, { is: "assessed" }>;

/**
 * The step that removes the next resource that nobody declared, or reads it first; undefined if none is to be removed now. What
 * was not sent, because of an outage or a pause, does not keep the object from being Ready.
 */
export function decideRemoval(observed: DecisionInput): Step | undefined {
  const removal = removalOf(observed);
  if (removal === null) return undefined;
  if (removal.is === "later") return { do: "wait", until: removal.until };
  return retryOfRemoval(observed) === undefined ? removeNext(observed, removal) : undefined;
}

/** `step`, or what it waits for, no later than what a removal takes is to be tried again. */
export function untilRemoval(observed: DecisionInput, step: Step): Step {
  const retryAt = removalOf(observed)?.is === "due" ? retryOfRemoval(observed) : undefined;
  return retryAt === undefined || step.do !== "done" ? step : noLaterThan(step, retryAt);
}

function removalOf({ undeclared }: DecisionInput): Removal | null {
  return undeclared?.is === "assessed" ? undeclared.removal : null;
}

/** When the removal, or the read before it, is to be tried again. While the removal waits, nothing is read for it. */
function retryOfRemoval(observed: DecisionInput): MonotonicTime | undefined {
  return retryOf(observed, "removeUndeclared") ?? retryOf(observed, "read");
}

/** Somebody may have taken the resource since it was listed. */
function removeNext({ now }: DecisionInput, { resource, readAt }: Extract<Removal, { is: "due" }>): PlatformStep {
  const { kind, uid } = resource;
  const startedAfter = now - currentMs;
  if (readAt === null || readAt < startedAfter) return { do: "read", kind, uid, startedAfter };
  const event: Event = { type: "Normal", reason: "Deleted", note: removedMessage(resource) };
  return { do: "removeUndeclared", kind, uid, event };
}

/** The condition AccessDeclared, without its times; undefined if the object has none. */
export function accessDeclared(
  undeclared: ObservedUndeclared | null,
): (Pick<Condition, "status" | "message"> & { readonly reason: Reason }) | undefined {
  if (undeclared?.is !== "assessed") return undefined;
  if (totalOf(undeclared) === 0) return { status: "True", reason: "Available", message: everythingDeclaredMessage() };
  return {
    status: "False",
    reason: "UndeclaredAccess",
    message: undeclaredMessage(undeclared.counts, sparedBy(undeclared), undeclared.confirmId),
  };
}

/** What `status.undeclared` is to be: null removes it, undefined leaves it unchanged. */
export function listOfUndeclared(undeclared: ObservedUndeclared | null): Undeclared[] | null | undefined {
  if (undeclared === null) return undefined;
  if (undeclared.is === "unreported" || undeclared.first.length === 0) return null;
  return [...undeclared.first];
}

/** The event for resources that the status did not name before. A list that was full says nothing about what is new. */
export function undeclaredEvent({ resource, undeclared }: DecisionInput): Event | undefined {
  if (undeclared?.is !== "assessed") return undefined;
  const { undeclared: before = [] } = resource.status ?? {};
  if (before.length >= listedUndeclared) return undefined;
  const known = new Set(before.map(({ uid }) => uid));
  const added = undeclared.first.filter(({ uid }) => !known.has(uid));
  return added.length === 0
    ? undefined
    : { type: "Warning", reason: "UndeclaredAccess", note: undeclaredFoundMessage(added) };
}

export function totalOf({ counts }: Assessed): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Why resources are not removed, the most frequent reason first. */
function sparedBy({ spared }: Assessed): readonly (readonly [SparingReason, number])[] {
  return (Object.entries(spared ?? {}) as [SparingReason, number][]).toSorted(
    ([a, some], [b, others]) => others - some || (a < b ? -1 : 1),
  );
}

// What they say.

// identities outside of the Tenant's groups but their uids.

const nouns: Readonly<Record<string, readonly [one: string, several: string]>> = {
  RoleBinding: ["role binding", "role bindings"],
  Identity: ["identity", "identities"],
  IdentityProvider: ["identity provider", "identity providers"],
  Group: ["child group", "child groups"],
  Role: ["role", "roles"],
  AccountAssociation: ["account association", "account associations"],
  GroupInvite: ["group invite", "group invites"],
};

/** How many resources an event describes. */
const described = 3;

const spareTexts: Readonly<Record<SparingReason, string>> = {
  tenantReports: "the Tenant's spec.undeclared is Report",
  groupNotManaged: "the group is only observed",
  notSynced: "not everything has been read yet; the next resync decides",
  providersUnknown:
    "the operator may not list the identity providers of the group and all groups above, so people cannot be recognized",
  providerAbsent:
    "an identity provider that an object declares in the group, or above it, is not on the platform, or has another issuer there, so its people cannot be recognized",
  otherOwnerPresent: "identities of another Muster installation are in the group, which may have created them",
  onlyReported: "only role bindings and identities are removed",
  outOfBounds: "outside of the Tenant's groups, or never written by Muster",
  identityUnknown: "the operator cannot read the identity",
  credential: "of an identity that the operator or a Tenant uses",
  breakGlass: "of an identity that an administrator protects",
  otherOwner: "of an identity that another Muster installation owns",
  orphan: "of an identity with our marker whose object does not exist",
  person: "of people (their issuer is an identity provider)",
  bound: "identities that still have role bindings",
  named: "named by an object of this cluster",
  cameBack: "removed three times within an hour, and created again by another writer; find it and stop it",
  held: "too many at once",
  attempted: "the last attempt failed, and is repeated after the next resync",
  seenOnce: "removed once the next resync shows them again",
};

function everythingDeclaredMessage(): string {
  return "Objects of this cluster declare everything that lies directly in the group.";
}

function undeclaredMessage(
  counts: Readonly<Record<string, number>>,
  spared: readonly (readonly [SparingReason, number])[],
  confirmId: string | null,
): string {
  const parts = Object.entries(counts).map(([kind, count]) => `${count} ${nounOf(kind, count)}`);
  const what = `Not declared by any object of this cluster: ${parts.join(", ")}; status.undeclared lists the first ten.`;
  if (spared.length === 0) return `${what} Declare them, or remove them on the platform.`;
  const why = spared.map(([reason, count]) => `${count} (${spareTexts[reason]})`).join("; ");
  const confirm =
    confirmId === null
      ? ""
      : ` To remove them anyway, ask an administrator to set the annotation ${confirmAnnotation} of the Tenant to ${confirmId}.`;
  return `${what} Not removed: ${why}.${confirm}`;
}

/** What was found, for an event. */
function undeclaredFoundMessage(found: readonly Undeclared[]): string {
  const more = found.length - described;
  const texts = found.slice(0, described).map(describe).join("; ");
  return `No object of this cluster declares ${texts}${more > 0 ? `; and ${more} more` : ""}.`;
}

function removedMessage(resource: Undeclared): string {
  return `Removed ${describe(resource)}, which no object of this cluster declares.`;
}

function describe({ kind, uid, name, identityUid, role }: Undeclared): string {
  const what = `${nounOf(kind, 1)} ${name === undefined ? uid : `"${name}" (${uid})`}`;
  if (role === undefined) return what;
  return `${what}, which grants the role ${role} to ${identityUid === undefined ? "whoever has its code" : `identity ${identityUid}`}`;
}

function nounOf(kind: string, count: number): string {
  return nouns[kind]?.[count === 1 ? 0 : 1] ?? kind;
}
