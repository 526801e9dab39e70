import { hash } from "node:crypto";
import type { JWK } from "jose";
import { isJsonObject } from "#src/json/json-object.ts";

/** The maximum number of keys, more than any issuer has. It bounds the search for a key. */
const maximumKeys = 100;

/** The private members of a JWK. */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** The keys of a JWKS document. Only asymmetric public keys can verify a token. */
export interface Jwks {
  readonly publicKeys: readonly JWK[];
  /** The number of symmetric and private keys. */
  readonly others: number;
}

/** `undefined` if the text is not a JWKS document. */
export function parseJwks(document: string): Jwks | undefined {
  let json: unknown;
  try {
    json = JSON.parse(document);
  } catch {
    return undefined;
  }
  if (typeof json !== "object" || json === null || !("keys" in json) || !Array.isArray(json.keys)) return undefined;
  const keys = json.keys as unknown[];
  if (keys.length > maximumKeys) return undefined;
  const publicKeys = keys.filter(isPublicKey);
  return { publicKeys, others: keys.length - publicKeys.length };
}

/**
 * Identifies a key with all its members, in whatever order they are written. A thumbprint (RFC 7638) would not do: the same key
 * with another id or algorithm vouches for other tokens.
 */
export function fingerprintOf(key: JWK): string {
  return hash("sha256", canonical(key), "base64url");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isJsonObject(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

function isPublicKey(json: unknown): json is JWK {
  if (typeof json !== "object" || json === null || !("kty" in json)) return false;
  return ["RSA", "EC", "OKP"].includes(json.kty as string) && !secretMembers.some((member) => member in json);
}
