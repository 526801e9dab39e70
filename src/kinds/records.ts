import type { Status } from "#src/api/status.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/**
 * Whether a status records this very resource, and not an earlier one with the same uid. A platform that does not say when it
 * created a singleton proves nothing.
 */
export function records(status: Status | undefined, { uid, createTime }: ExternalResource): boolean {
  return status?.uid === uid && (createTime === undefined || (createTime !== "" && status.createTime === createTime));
}
