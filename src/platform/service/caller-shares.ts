import type { Caller } from "../access/caller.ts";
import { adminShares, identityShares, type Share } from "../shares/share.ts";

/** The shares of an authenticated caller. */
export function callerShares(caller: Caller): readonly Share[] {
  return caller.kind === "admin" ? adminShares : identityShares(caller.uid);
}
