import type { References } from "#src/reconcile/observe/observed.ts";
import { calls, type Check } from "./check.ts";
import type { DecisionInput, Found } from "./decision-input.ts";
import * as kubernetesMessages from "./kubernetes-messages.ts";
import { type Problem, waiting } from "./outcome.ts";

/** Kubernetes has not let the operator read the kind that the object refers to. */
export function unreadKind({ path, kind }: Extract<References, { are: "unreadKind" }>): Problem {
  return waiting("ReferenceNotReady", kubernetesMessages.referencedKindUnread(path, kind));
}

export const rolesUnread = calls(
  "rolesUnread",
  "The roles of the platform have not been read yet.",
  ({ references }) => (references.are === "unread" ? { do: "refreshPermissions" } : undefined),
);

/** A check that finds that what a role allows now is not known. @param roleOf the role of an object that is to be read */
export function roleUnread<Input extends DecisionInput>(roleOf: (observed: Input) => string | null): Check<Input> {
  return calls("roleUnread", "What the role allows now is not known.", (observed) => {
    const role = roleOf(observed);
    return role === null ? undefined : { do: "readRole", role };
  });
}

export const readRequested = calls<Found>(
  "readRequested",
  "Somebody requested a reconcile after the resource was read.",
  ({ request, claim, external: { uid } }) => {
    const seenAt = claim?.external.is === "present" ? claim.external.seenAt : 0;
    return request === null || seenAt >= request.seenAt ? undefined : { do: "read", uid };
  },
);
