import type { Status } from "#src/api/status.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Kind } from "./kind.ts";

/**
 * Whether a status records this very resource, and not an earlier one with the same uid. A platform that does not say when it
 * created a singleton proves nothing.
 */
export function records(status: Status | undefined, { uid, createTime }: ExternalResource): boolean {
  return status?.uid === uid && (createTime === undefined || (createTime !== "" && status.createTime === createTime));
}

/** The natural key of the grant that a status records, by the uids in it; undefined if it does not have all of them. */
export function recordedNaturalKey({ identification }: Kind, status: Status | undefined): string | undefined {
  const { parentUid: parent, identityUid: identity, roleUid: role } = status ?? {};
  if (parent === undefined || identity === undefined || role === undefined) return undefined;
  return identification.naturalKey({ parent, identity, role }, "");
}
