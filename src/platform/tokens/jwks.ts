import type { JWK } from "jose";

/** More keys than any issuer has; the bound keeps a search for the right one short. */
const maximumKeys = 100;

/** The members of a JWK that are secret. */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/** A JWKS document, its keys told apart: only asymmetric public ones can vouch for a token. */
export interface Jwks {
  readonly publicKeys: readonly JWK[];
  /** How many it has that are symmetric or private. */
  readonly others: number;
}

/** `undefined` where the text is no JWKS document. */
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

function isPublicKey(json: unknown): json is JWK {
  if (typeof json !== "object" || json === null || !("kty" in json)) return false;
  return ["RSA", "EC", "OKP"].includes(json.kty as string) && !secretMembers.some((member) => member in json);
}
