import type { ResolvedUids } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";

/** What the status records of the external resource. */
export interface Recorded {
  readonly uid: string;
  readonly parentUid?: string;
  readonly identityUid?: string;
  readonly roleUid?: string;
  readonly createTime?: string;
  readonly management: "Created" | "Adopted" | "Observed";
}

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
