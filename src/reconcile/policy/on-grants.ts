import type { ExternalResource, Grants } from "#src/reconcile/observe/observed.ts";
import { minutes } from "#src/time/durations.ts";
import { calls, part, type Phase } from "./check.ts";
import type { DecisionInput, Found } from "./decision-input.ts";
import type { PlatformStep } from "./step.ts";
import { roleUnread } from "./unread.ts";

/** The role bindings of an identity or of a role are read again before they count if the last read is older. */
const maxAgeMs = minutes(1);

/** A resource whose role bindings were read, as far as they matter. */
type WithGrants<Input> = Input & { readonly read: Grants };

/** `phase` about the role bindings of the resource, once they were read a moment ago. */
export function onGrants<Input extends Found>(phase: Phase<WithGrants<Input>>): Phase<Input> {
  return [
    calls("grantsUnread", "The role bindings of the resource were not read a moment ago.", (observed) => {
      const read = recentGrants(observed, observed.external);
      return "missing" in read ? read.missing : undefined;
    }),
    part<Input, WithGrants<Input>>(
      "its role bindings were read",
      (observed) => {
        const read = recentGrants(observed, observed.external);
        return "grants" in read ? { ...observed, read: read.grants } : undefined;
      },
      phase,
    ),
  ];
}

/** The read that is missing of a role which the resource holds. */
export const heldRoleUnread = roleUnread<Found & { readonly read: Grants }>(({ read }) => read.roleToRead);

/**
 * The role bindings of an identity or of a role, read after everything that the decision is made from was seen: the spec, a
 * request by a person, and the resource itself. Without such a read, the step that makes it.
 */
function recentGrants(
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
