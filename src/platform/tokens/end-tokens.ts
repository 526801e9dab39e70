import { deleteSecurityStamp, replaceSecurityStamp } from "../access/security-stamp.ts";
import type { Writer } from "../store/database.ts";
import { revokeRefreshTokens } from "./refresh-families.ts";

/** Ends every API token and refresh token that was issued to the identity until now. */
export async function endTokens(tx: Writer, identity: string): Promise<void> {
  await replaceSecurityStamp(tx, identity);
  await revokeRefreshTokens(tx, identity);
}

/** Deletes what is stored about the tokens of an identity that is deleted. Its API tokens end because it does not exist. */
export async function deleteTokens(tx: Writer, identity: string): Promise<void> {
  await deleteSecurityStamp(tx, identity);
  await revokeRefreshTokens(tx, identity);
}
