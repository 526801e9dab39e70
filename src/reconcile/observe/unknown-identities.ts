import type { Kind } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { References } from "./observed.ts";
import { isUnknown } from "./operator-identities.ts";
import type { Sources } from "./sources.ts";

/** The identities to which the object binds a role, or the resources that were found for it, and who uses them is not known. */
export function unknownIdentitiesOf(
  sources: Sources,
  session: PlatformSession,
  kind: Kind,
  references: References,
  found: readonly ExternalResource[],
): readonly string[] {
  const bound = new Set<string>();
  if (references.are === "resolved" && references.uids.identity !== undefined) bound.add(references.uids.identity);
  for (const external of found) {
    const identity = kind.identityOf(external);
    // An identity that was found was read.
    if (identity !== undefined && identity !== external.uid) bound.add(identity);
  }
  return [...bound].filter((identity) => isUnknown(sources, session, identity));
}
