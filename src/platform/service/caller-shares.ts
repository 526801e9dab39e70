import type { Caller } from "../authorization/caller.ts";
import { adminShares, identityShares, type Share } from "../shares/share.ts";

/** Verified tokens keep their callers, and each call needs the shares several times. */
const known = new WeakMap<Caller, readonly Share[]>();

/** The shares of an authenticated caller. */
export function callerShares(caller: Caller): readonly Share[] {
  let shares = known.get(caller);
  if (shares === undefined) {
    shares = caller.kind === "admin" ? adminShares : identityShares(caller.uid);
    known.set(caller, shares);
  }
  return shares;
}
