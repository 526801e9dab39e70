import { recordedOwner, withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { Resource } from "./admin-api.ts";

/** What is needed of the platform's API. Every method throws a `PlatformFailure`. */
export interface IdentityApi {
  list(collection: string, query: Record<string, string>): Promise<readonly Resource[]>;
  create(collection: string, parent: string, body: object): Promise<Resource>;
  /** Changes the fields of `body`. */
  update(collection: string, uid: string, body: object): Promise<Resource>;
}

export interface OperatorIdentity {
  /** The name of the identity, if it is created. */
  readonly name: string;
  readonly claimMatch: { readonly issuer: string; readonly subject: string; readonly audience: string };
  /** The owner that the description records, as returned by `ownerOf`. */
  readonly owner: string;
  /**
   * Whether an identity that records the owner is changed to `claimMatch`, and another owner of the identity with
   * `claimMatch` is replaced.
   */
  readonly takeOver: boolean;
}

/**
 * Creates the operator's identity in the group, or finds it by its claims, and records the owner in its description. An
 * identity that records the owner and has other claims gets these, if it is to be taken over: its uid, which the settings
 * and its role bindings name, stays the same. Idempotent.
 * @throws {Error} if two clusters would write as one owner, if one identity serves two owners, unless `takeOver` is true, or
 * if the group has another identity with the name.
 */
export async function ensureOperatorIdentity(
  api: IdentityApi,
  group: string,
  { name, claimMatch, owner, takeOver }: OperatorIdentity,
): Promise<Resource> {
  const identities = await api.list("identities", { "uidp.children_of": group });
  const existing = identities.find((identity) => isMatch(identity, claimMatch));
  const rivals = identities.filter((one) => one.uid !== existing?.uid && ownerIn(one) === owner);
  const [rival, ...otherRivals] = rivals;
  if (rival !== undefined && !takeOver)
    throw new Error(
      `--owner-id: the identity ${rival.uid} records the owner id ${owner} and is assumed by ${claimsOf(rival)}, not by ${claimsOf({ claimMatch })}. If another cluster uses it, use the owner id of this cluster. If this cluster replaces the other one, or has another issuer now, add --take-over: the identity is then changed`,
    );
  const recorded = existing === undefined ? undefined : ownerIn(existing);
  if (existing !== undefined && recorded !== undefined && recorded !== owner && !takeOver)
    throw new Error(
      `--owner-id: the operator's identity ${existing.uid} records the owner id ${recorded}. To keep managing the same resources, use that one; to replace it, add --take-over`,
    );
  const replaced = existing === undefined ? otherRivals : rivals;
  for (const { uid, description = "" } of replaced)
    await api.update("identities", uid, { description: withRecordedOwner(description, undefined) });
  if (existing !== undefined) {
    if (recorded === owner) return existing;
    return api.update("identities", existing.uid, {
      description: withRecordedOwner(existing.description ?? "", owner),
    });
  }
  if (rival !== undefined) return api.update("identities", rival.uid, { claimMatch });
  const namesake = identities.find((one) => one.name === name);
  if (namesake !== undefined)
    throw new Error(
      `--identity-name: the identity ${namesake.uid} has the name ${name} already and is assumed by ${claimsOf(namesake)}. If another cluster uses it, choose another name for the identity of this cluster. ${howToReuse(namesake)}`,
    );
  return api.create("identities", group, { name, claimMatch, description: withRecordedOwner("", owner) });
}

function howToReuse(identity: Resource): string {
  const recorded = ownerIn(identity);
  return recorded === undefined
    ? "If nothing uses it, delete it on the platform, or change its claimMatch there"
    : `If this cluster replaces the other one, or has another issuer now, use the owner id ${recorded} and add --take-over`;
}

/** Who assumes the identity. */
function claimsOf({ claimMatch = {} }: Pick<Resource, "claimMatch">): string {
  const { issuer = "?", subject = "?", audience = "?" } = claimMatch;
  return `${subject} of ${issuer} (audience ${audience})`;
}

function ownerIn({ description = "" }: Resource): string | undefined {
  return recordedOwner(description);
}

function isMatch({ claimMatch }: Resource, wanted: OperatorIdentity["claimMatch"]): boolean {
  return (
    claimMatch?.issuer === wanted.issuer &&
    claimMatch.subject === wanted.subject &&
    claimMatch.audience === wanted.audience
  );
}
