import { deleteSecurityStamp, recordKeyChange, replaceSecurityStamp } from "../access/security-stamp.ts";
import type { Writer } from "../store/database.ts";
import { revokeRefreshTokens } from "./refresh-families.ts";

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

/** Deletes what is stored about the tokens of an identity that is deleted. Its API tokens end because it does not exist. */
export async function deleteTokens(tx: Writer, identity: string): Promise<void> {
  await deleteSecurityStamp(tx, identity);
  await revokeRefreshTokens(tx, identity);
}
