import * as z from "zod";
import { ExplainedError } from "#src/commands/explained-error.ts";
import { externalText, externalUid, type ResourceType } from "#src/platform-client/collection.ts";
import { recordedOwner, withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { childUids } from "#src/platform-client/uid.ts";

const claim = z.string().optional();
const identity = z.object({
  uid: externalUid,
  name: externalText,
  description: externalText,
  claimMatch: z.object({ issuer: claim, subject: claim, audience: claim }).optional(),
});

/** What is read of an identity to tell whether it is the operator's. */
export type ClaimedIdentity = z.output<typeof identity>;

export const identities = {
  name: "identities",
  api: "iam/v2beta1",
  schema: identity,
  uids: childUids,
} satisfies ResourceType;

/** The identities of one group on the platform. Every method throws a `PlatformFailure`. */
export interface GroupIdentities {
  list(): Promise<readonly ClaimedIdentity[]>;
  create(body: Readonly<Record<string, unknown>>): Promise<ClaimedIdentity>;
  /** Changes the fields of `body`. */
  update(uid: string, body: Readonly<Record<string, unknown>>): Promise<ClaimedIdentity>;
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
  inGroup: GroupIdentities,
  { name, claimMatch, owner, takeOver }: OperatorIdentity,
): Promise<ClaimedIdentity> {
  const known = await inGroup.list();
  const existing = known.find((one) => isMatch(one, claimMatch));
  const rivals = known.filter((one) => one.uid !== existing?.uid && ownerIn(one) === owner);
  const [rival, ...otherRivals] = rivals;
  if (rival !== undefined && !takeOver)
    throw new ExplainedError(
      "owner-id",
      `--owner-id: the identity ${rival.uid} records the owner id ${owner} and is assumed by ${claimsOf(rival)}, not by ${claimsOf({ claimMatch })}. If another cluster uses it, use the owner id of this cluster. If this cluster replaces the other one, or has another issuer now, add --take-over: the identity is then changed`,
    );
  const recorded = existing === undefined ? undefined : ownerIn(existing);
  if (existing !== undefined && recorded !== undefined && recorded !== owner && !takeOver)
    throw new ExplainedError(
      "owner-id",
      `--owner-id: the operator's identity ${existing.uid} records the owner id ${recorded}. To keep managing the same resources, use that one; to replace it, add --take-over`,
    );
  const replaced = existing === undefined ? otherRivals : rivals;
  for (const { uid, description } of replaced)
    await inGroup.update(uid, { description: withRecordedOwner(description, undefined) });
  if (existing !== undefined) {
    if (recorded === owner) return existing;
    return inGroup.update(existing.uid, { description: withRecordedOwner(existing.description, owner) });
  }
  if (rival !== undefined) return inGroup.update(rival.uid, { claimMatch });
  const namesake = known.find((one) => one.name === name);
  if (namesake !== undefined)
    throw new ExplainedError(
      "owner-id",
      `--identity-name: the identity ${namesake.uid} has the name ${name} already and is assumed by ${claimsOf(namesake)}. If another cluster uses it, choose another name for the identity of this cluster. ${howToReuse(namesake)}`,
    );
  return inGroup.create({ name, claimMatch, description: withRecordedOwner("", owner) });
}

function howToReuse(namesake: ClaimedIdentity): string {
  const recorded = ownerIn(namesake);
  return recorded === undefined
    ? "If nothing uses it, delete it on the platform, or change its claimMatch there"
    : `If this cluster replaces the other one, or has another issuer now, use the owner id ${recorded} and add --take-over`;
}

/** Who assumes the identity. */
function claimsOf({ claimMatch = {} }: Pick<ClaimedIdentity, "claimMatch">): string {
  const { issuer = "?", subject = "?", audience = "?" } = claimMatch;
  return `${subject} of ${issuer} (audience ${audience})`;
}

function ownerIn({ description }: ClaimedIdentity): string | undefined {
  return recordedOwner(description);
}

function isMatch({ claimMatch }: ClaimedIdentity, wanted: OperatorIdentity["claimMatch"]): boolean {
  return (
    claimMatch?.issuer === wanted.issuer &&
    claimMatch.subject === wanted.subject &&
    claimMatch.audience === wanted.audience
  );
}
