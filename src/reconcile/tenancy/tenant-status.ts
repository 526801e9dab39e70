import { timestamp } from "#src/api/timestamp.ts";
import { readyCondition } from "#src/api/condition.ts";
import { isDeepStrictEqual } from "node:util";
import type { Condition } from "#src/api/condition.ts";
import type { Reason } from "#src/api/reason.ts";
import { sentence } from "#src/text/sentence.ts";
import type { TenantStatus } from "#src/api/tenant.ts";
import type { CachedTenant } from "./cached-tenant.ts";
import type { TenantProblem } from "./tenant-report.ts";

/** What a Tenant's status is made from. Null: not known yet, after a start; the status keeps what an earlier process reported. */
export interface TenantObservation {
  readonly tenant: Pick<CachedTenant, "metadata" | "status">;
  readonly ownerId: string;
  /** How many namespaces it governs. */
  readonly namespaces: number;
  readonly objects: readonly { readonly kind: string; readonly count: ObjectCount | null }[];
  /** What does not work; the first is the most important. */
  readonly problems: readonly TenantProblem[];
  /** Set if this process could not check yet whether the credential works, with what failed, if a check did; null if it could. */
  readonly unverified: { readonly failure: string | null } | null;
  readonly orphans: readonly string[] | null;
  readonly undeclared: readonly string[] | null;
  readonly unreadableGroups: readonly string[] | null;
  readonly abandoned: number;
  readonly breakers: readonly { readonly kind: string; readonly id: string; readonly missing: number }[];
  /** The removals of undeclared access that wait for a person to confirm them; null if there are none. */
  readonly heldRemovals: { readonly id: string; readonly resources: number } | null;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** How many objects of one kind there are. */
export interface ObjectCount {
  readonly ready: number;
  readonly notReady: number;
}

/** The change of a Tenant's status, as a merge patch: null removes a field. */
export type TenantStatusPatch = { readonly [K in keyof TenantStatus]?: TenantStatus[K] | null };

/** The uids that a status names; the counts say how many there are. */
const namedUids = 10;
/** The bound of a condition's message. */
const maxMessage = 4096;

/** The change that makes the Tenant's status say what was observed; undefined if it says so already. */
export function tenantStatusPatch(observation: TenantObservation): TenantStatusPatch | undefined {
  const before = observation.tenant.status;
  const { orphans, undeclared, unreadableGroups } = observation;
  const after: TenantStatusPatch = {
    observedGeneration: observation.tenant.metadata.generation ?? 0,
    ownerId: observation.ownerId,
    namespaces: observation.namespaces,
    objects: observation.objects.flatMap(({ kind, count }) =>
      count === null ? (before?.objects?.filter((one) => one.kind === kind) ?? []) : [{ kind, ...count }],
    ),
    ...(orphans === null ? {} : { orphans: orphans.length, orphanUids: firstOf(orphans) }),
    ...(undeclared === null ? {} : { undeclared: undeclared.length, undeclaredUids: firstOf(undeclared) }),
    ...(unreadableGroups === null ? {} : { unreadableGroups: firstOf(unreadableGroups) }),
    abandoned: observation.abandoned === 0 ? null : observation.abandoned,
    breakers: observation.breakers.length === 0 ? null : observation.breakers.map((breaker) => ({ ...breaker })),
    conditions: conditionsOf(observation),
  };
  const changes = Object.entries(after).filter(
    ([field, value]) => !isDeepStrictEqual(value ?? undefined, before?.[field as keyof TenantStatus]),
  );
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function firstOf(uids: readonly string[]): string[] | null {
  return uids.length === 0 ? null : uids.toSorted().slice(0, namedUids);
}

function conditionsOf(observation: TenantObservation): Condition[] {
  const { tenant, now } = observation;
  const generation = tenant.metadata.generation ?? 0;
  const previous = readyCondition(tenant);
  const found = findReady(observation);
  // The first check follows at once: what an earlier process reported of the same spec stays until then.
  if (found === undefined && previous?.observedGeneration === generation) return [previous];
  const ready = found ?? unchecked("The operator has not checked yet whether the credential works.");
  return [
    {
      type: "Ready",
      ...ready,
      message: Array.from(ready.message).slice(0, maxMessage).join(""),
      observedGeneration: generation,
      lastTransitionTime: previous?.status === ready.status ? previous.lastTransitionTime : timestamp(now),
    },
  ];
}

type Ready = Pick<Condition, "status" | "reason" | "message"> & { readonly reason: Reason };

/** @returns undefined if the first check has not ended */
function findReady({ problems, unverified, breakers, heldRemovals }: TenantObservation): Ready | undefined {
  const [first] = problems;
  if (first !== undefined)
    return { status: "False", reason: first.reason, message: problems.map(({ message }) => message).join(" ") };
  if (unverified !== null)
    return unverified.failure === null
      ? undefined
      : unchecked(
          `Whether the credential works could not be checked yet: ${sentence(unverified.failure)} The operator retries.`,
        );
  const held = heldMessage(breakers, heldRemovals);
  if (held !== undefined) return { status: "False", reason: "HeldByBreaker", message: held };
  return { status: "True", reason: "Available", message: "The Tenant is served." };
}

function unchecked(message: string): Ready {
  return { status: "Unknown", reason: "Checking", message };
}

/** What waits for a person; undefined if nothing does. */
function heldMessage(
  breakers: TenantObservation["breakers"],
  removals: TenantObservation["heldRemovals"],
): string | undefined {
  const missing = breakers.reduce((sum, one) => sum + one.missing, 0);
  const kinds = breakers.map(({ kind, id }) => `${kind} (${id})`).join(", ");
  const messages = [
    ...(missing === 0
      ? []
      : [
          `${missing} resources disappeared from the platform at once, and are not re-created: ${kinds}. Find out why. To have them re-created, set the annotation iam.muster.dev/confirm of this Tenant to the id in parentheses.`,
        ]),
    ...(removals === null
      ? []
      : [
          `${removals.resources} undeclared resources would be removed at once, and are not removed. Find out who created them. To have them removed, set the annotation iam.muster.dev/confirm of this Tenant to ${removals.id}.`,
        ]),
  ];
  return messages.length === 0 ? undefined : messages.join(" ");
}
