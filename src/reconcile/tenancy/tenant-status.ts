import { timestamp } from "#src/api/timestamp.ts";
import { readyCondition } from "#src/api/condition.ts";
import { isDeepStrictEqual } from "node:util";
import type { Condition } from "#src/api/condition.ts";
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

function conditionsOf({ tenant, problems, breakers, heldRemovals, now }: TenantObservation): Condition[] {
  const [first] = problems;
  const held = heldMessage(breakers, heldRemovals);
  const ready =
    first !== undefined
      ? { status: "False" as const, reason: first.reason, message: problems.map(({ message }) => message).join(" ") }
      : held !== undefined
        ? { status: "False" as const, reason: "HeldByBreaker" as const, message: held }
        : { status: "True" as const, reason: "Available" as const, message: "The Tenant is served." };
  const generation = tenant.metadata.generation ?? 0;
  const previous = readyCondition(tenant);
  const time = timestamp(now);
  return [
    {
      type: "Ready",
      ...ready,
      message: Array.from(ready.message).slice(0, maxMessage).join(""),
      observedGeneration: generation,
      lastTransitionTime: previous?.status === ready.status ? previous.lastTransitionTime : time,
    },
  ];
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
