import type { ExternalResource, Grants } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { PlatformStep } from "./step.ts";

/** The role bindings of an identity or of a role are read again before they count if the last read is older. */
const maxAgeMs = minutes(1);

/**
 * The role bindings of an identity or of a role, read after everything that the decision is made from was seen: the spec, a
 * request by a person, and the resource itself. Without such a read, the step that makes it.
 */
export function recentGrants(
  observed: DecisionInput,
  { uid }: ExternalResource,
): { readonly grants: Grants } | { readonly missing: PlatformStep } {
  const { kind, claim, state, request, now } = observed;
  const seenAt = claim?.uid === uid && claim.external.is === "present" ? claim.external.seenAt : 0;
  const startedAfter = Math.max(state.specSeenAt, request?.seenAt ?? 0, seenAt, now - maxAgeMs);
  const grants = observed.grants.find(({ of, readAt }) => of === uid && readAt >= startedAfter);
  if (grants !== undefined) return { grants };
  const of = kind.bindable === null ? { identity: uid } : { role: uid };
  return { missing: { do: "readGrants", of } };
}
