import { recordedOwner, withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { AdminApi, Resource } from "./admin-api.ts";

export interface OperatorIdentity {
  /** The name of the identity, if it is created. */
  readonly name: string;
  readonly claimMatch: { readonly issuer: string; readonly subject: string; readonly audience: string };
  /** The owner that the description records, as returned by `ownerOf`. */
  readonly owner: string;
  /** Whether an owner that another identity records, or another owner of this identity, is replaced. */
  readonly takeOver: boolean;
}

/**
 * Creates the operator's identity in the group, or finds it by its claims, and records the owner in its description.
 * Idempotent.
 * @throws {Error} if two clusters would write as one owner, or one identity serves two owners, unless `takeOver` is true.
 */
export async function ensureOperatorIdentity(
  api: AdminApi,
  group: string,
  { name, claimMatch, owner, takeOver }: OperatorIdentity,
): Promise<Resource> {
  const identities = await api.list("identities", { "uidp.children_of": group });
  const existing = identities.find((identity) => isMatch(identity, claimMatch));
  const rivals = identities.filter((one) => one.uid !== existing?.uid && ownerIn(one) === owner);
  const [rival] = rivals;
  if (rival !== undefined && !takeOver)
    throw new Error(
      `--owner-id: the identity ${rival.uid} records the owner id ${owner}, so another cluster manages resources under it. Use the owner id of this cluster; if this cluster replaces the other one, add --take-over`,
    );
  const recorded = existing === undefined ? undefined : ownerIn(existing);
  if (existing !== undefined && recorded !== undefined && recorded !== owner && !takeOver)
    throw new Error(
      `--owner-id: the operator's identity ${existing.uid} records the owner id ${recorded}. To keep managing the same resources, use that one; to replace it, add --take-over`,
    );
  for (const { uid, description = "" } of rivals)
    await api.describe("identities", uid, withRecordedOwner(description, undefined));
  if (existing === undefined)
    return api.create("identities", group, { name, claimMatch, description: withRecordedOwner("", owner) });
  if (recorded === owner) return existing;
  return api.describe("identities", existing.uid, withRecordedOwner(existing.description ?? "", owner));
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
