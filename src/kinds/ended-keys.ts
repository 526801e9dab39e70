import { isDeepStrictEqual } from "node:util";
import { isJsonObject } from "#src/json/json-object.ts";
import { parseJson } from "#src/json/parse-json.ts";

/** Keys that vouch for tokens without their issuer being asked. */
interface StaticKeys {
  readonly issuer: string;
  readonly subject: string;
  /** A JWKS document. */
  readonly issuerKeys: string;
  readonly expirationTime?: string | undefined;
  readonly audiences: readonly string[];
}

/**
 * Whether the keys after a change are some of those before, for the same tokens and for no longer time: then the change can only
 * end what a key vouched for, such as one that somebody has stolen. Without an expiration time, the platform starts a new one
 * with each change.
 */
export function onlyEndsKeys(
  { staticKeys: before }: { readonly staticKeys?: StaticKeys | undefined },
  { staticKeys: after }: { readonly staticKeys?: StaticKeys | undefined },
): boolean {
  if (before === undefined || after === undefined) return false;
  const [known, kept] = [keysOf(before), keysOf(after)];
  return (
    before.issuer === after.issuer &&
    before.subject === after.subject &&
    isDeepStrictEqual(before.audiences, after.audiences) &&
    Date.parse(after.expirationTime ?? "") <= Date.parse(before.expirationTime ?? "") &&
    known !== undefined &&
    kept?.every((key) => known.some((one) => isDeepStrictEqual(one, key))) === true
  );
}

/** Undefined if the text is not a JWKS document. */
function keysOf({ issuerKeys }: StaticKeys): readonly unknown[] | undefined {
  const document = parseJson(issuerKeys);
  return isJsonObject(document) && Array.isArray(document["keys"]) ? document["keys"] : undefined;
}
