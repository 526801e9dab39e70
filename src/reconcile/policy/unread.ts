import type { References } from "#src/reconcile/observe/observed.ts";
import { calls } from "./check.ts";
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
