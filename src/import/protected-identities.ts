import { carriedMarker, ownerOf } from "#src/kinds/marker.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import { recordedOwner } from "#src/platform-client/owner-record.ts";

/**
 * Why Muster does not manage what an identity holds:
 *
 * - `emergency`: it is for emergencies.
 * - `credential`: it is the credential of an operator.
 * - `otherOwner`: another owner manages it.
 * - `unseen`: the caller may not see it, so that it may be any of these.
 */
export type Protection = "emergency" | "credential" | "otherOwner" | "unseen";

/** The identities of a tree, and those elsewhere that its role bindings name. */
export class ProtectedIdentities {
  readonly #descriptions: ReadonlyMap<string, string>;
  readonly #options: Pick<ImportOptions, "breakGlass" | "owners">;

  constructor(
    { identities, identitiesElsewhere }: Pick<ExistingTree, "identities" | "identitiesElsewhere">,
    options: Pick<ImportOptions, "breakGlass" | "owners">,
  ) {
    this.#descriptions = new Map([...identities, ...identitiesElsewhere].map((one) => [one.uid, one.description]));
    this.#options = options;
  }

  protectionOf(identity: string): Protection | undefined {
    const { breakGlass, owners } = this.#options;
    if (breakGlass.includes(identity)) return "emergency";
    const description = this.#descriptions.get(identity);
    if (description === undefined) return "unseen";
    if (isCredential(description)) return "credential";
    const marker = carriedMarker({ description });
    return marker === undefined || owners.includes(ownerOf(marker)) ? undefined : "otherOwner";
  }
}

/**
 * Whether an operator records itself in the description of an identity. What Muster manages is not its credential, whatever people
 * write into it.
 */
function isCredential(description: string): boolean {
  return recordedOwner(description) !== undefined && carriedMarker({ description }) === undefined;
}
