import { minutes } from "#src/time/durations.ts";
import {
  deleteSecurityStamp,
  recordEndedLogin,
  recordKeyChange,
  replaceSecurityStamp,
} from "../authorization/security-stamp.ts";
import type { Writer } from "../store/database.ts";
import { deleteFamily, type FamilyOwner, revokeRefreshTokens } from "./refresh-families.ts";
import { apiTokenLifetime } from "./token-lifetime.ts";

/** How much the clock of the replica that issued a token may be ahead. */
const clockTolerance = minutes(1);

/** Ends every API token and refresh token that was issued to the identity until now. */
export async function endTokens(tx: Writer, identity: string): Promise<void> {
  await replaceSecurityStamp(tx, identity);
  await revokeRefreshTokens(tx, identity);
}

/**
 * Ends the API tokens and refresh tokens for which removed static keys vouched; all of them if a key that was removed earlier is
 * added again, or after many removals.
 * @param keys the fingerprints of keys that are added and removed
 * @returns whether it ended all of them
 */
export async function endTokensOfKeys(
  tx: Writer,
  identity: string,
  keys: { readonly added: readonly string[]; readonly removed: readonly string[] },
): Promise<boolean> {
  // A refresh token of a removed key is rejected when it is used.
  if (await recordKeyChange(tx, identity, keys)) return false;
  await endTokens(tx, identity);
  return true;
}

/**
 * Ends a family of refresh tokens and, if it came from a login, the API tokens of that login. The API tokens of an exchange remain
 * until they expire: they do not name it.
 * @returns whose it was; undefined if there is none with the id
 */
export async function endFamily(tx: Writer, id: string, now: number): Promise<FamilyOwner | undefined> {
  const owner = await deleteFamily(tx, id);
  if (owner?.login === undefined) return owner;
  const login = { id: owner.login, expires: now + apiTokenLifetime + clockTolerance };
  if (!(await recordEndedLogin(tx, owner.identity, login, now))) await endTokens(tx, owner.identity);
  return owner;
}

/** Deletes what is stored about the tokens of an identity that is deleted. Its API tokens end because it does not exist. */
export async function deleteTokens(tx: Writer, identity: string): Promise<void> {
  await deleteSecurityStamp(tx, identity);
  await revokeRefreshTokens(tx, identity);
}
