import { carriedMarker } from "#src/kinds/marker.ts";
import { recordedOwner } from "#src/platform-client/owner-record.ts";

/**
 * Whether an operator records itself in the description of an identity. What Muster manages is not its credential, whatever people
 * write into it.
 */
export function isCredential(description: string): boolean {
  return recordedOwner(description) !== undefined && carriedMarker({ description }) === undefined;
}
