import type { Status } from "#src/api/status.ts";
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

/** Whether the status records this very resource, and not an earlier one with the same uid. */
export function records(status: Status | undefined, { uid, createTime }: ExternalResource): boolean {
  return status?.uid === uid && status.createTime === createTime;
}
