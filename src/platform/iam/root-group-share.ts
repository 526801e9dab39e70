import type { AuthoredWriter } from "../audit/authored-writer.ts";
import { rootOf } from "../contract/uid.ts";
import { quotaExceeded } from "../errors/api-error.ts";
import { rootGroupLimits } from "../limits/root-group-limits.ts";
import { statement } from "../store/database.ts";
import { dayOf, endOf, reserveShare } from "../store/daily-share.ts";

const creatorOf = statement((db, p: { group: string }) =>
  db.selectFrom("founding_bindings").select("creator").where("group_uid", "=", p.group),
);

/**
 * Counts a root group that an identity creates, against its share of the day, and against that of all identities of its root group. An
 * identity in a root group that an identity has created counts as that creator: otherwise, each root group would bring new shares.
 * Root groups that were deleted count, because their audit records remain.
 * @returns the identity that the root group counts for
 * @throws ApiError (8) if a share is used up
 */
export async function countRootGroup(tx: AuthoredWriter, identity: string): Promise<string> {
  const creator = (await tx.first(creatorOf, { group: rootOf(identity) }))?.creator ?? identity;
  await count(tx, creator, rootGroupLimits.ofCreator.value);
  await count(tx, rootOf(creator), rootGroupLimits.ofRootGroup.value);
  return creator;
}

async function count(tx: AuthoredWriter, owner: string, limit: number): Promise<void> {
  const day = dayOf(tx.now);
  const row = await tx.first(reserveShare, { owner: `root groups of ${owner}`, day, amount: 1 });
  if ((row?.used ?? 1) <= limit) return;
  throw quotaExceeded(
    owner,
    `${limit} root groups were created for "${owner}" today, which is its share; ask the admin for another one, or retry after ${new Date(endOf(day)).toISOString()}`,
  );
}
