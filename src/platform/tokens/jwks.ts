/** A public key of a JWKS document. */
export type PublicJwk = Readonly<Record<string, unknown>> & { readonly kty: string; readonly kid?: string };

/** More keys than any issuer has; the bound keeps a search for the right one short. */
const maximumKeys = 100;

/** The members of a JWK that are secret. */
const secretMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/**
 * The asymmetric public keys of a JWKS document; `undefined` where it is none or has none. A document with a secret
 * key is none: a symmetric one would let whoever reads it sign, and a private one is no longer private.
 */
export function parseJwks(document: string): readonly PublicJwk[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(document);
  } catch {
    return undefined;
  }
  if (typeof json !== "object" || json === null || !("keys" in json) || !Array.isArray(json.keys)) return undefined;
  const keys = json.keys as unknown[];
  if (keys.length === 0 || keys.length > maximumKeys || !keys.every(isPublicJwk)) return undefined;
  return keys;
}

function isPublicJwk(json: unknown): json is PublicJwk {
  if (typeof json !== "object" || json === null || !("kty" in json)) return false;
  return ["RSA", "EC", "OKP"].includes(json.kty as string) && !secretMembers.some((member) => member in json);
}
