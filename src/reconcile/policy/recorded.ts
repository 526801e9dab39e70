import type { ResolvedUids } from "#src/kinds/reference-field.ts";
import type { ExternalResource, Recorded } from "#src/reconcile/observe/observed.ts";

/** Why the status records no external resource: see `Problem.recorded`. */
export type NoneRecorded = "cleared" | "forgotten" | "ended";

export function recordOf(
  { parent, identity, role }: ResolvedUids,
  { uid, createTime }: ExternalResource,
  management: Recorded["management"],
): Recorded {
  return {
    uid,
    ...(parent === undefined ? {} : { parentUid: parent }),
    ...(identity === undefined ? {} : { identityUid: identity }),
    ...(role === undefined ? {} : { roleUid: role }),
    ...(createTime === undefined ? {} : { createTime }),
    management,
  };
}
