import * as z from "zod";

/** The keys of service-account tokens as an identity has them, where the platform cannot reach their issuer. Plain data. */
export interface UploadedKeys {
  /** A JWKS document. Equal sets of keys have equal texts. */
  readonly issuerKeys: string;
  readonly expirationTime: string;
}

/** When each key was seen last, by the key as canonical JSON. */
export type SeenKeys = ReadonlyMap<string, number>;

/** The API servers of one cluster may differ while keys rotate, and each read asks one of them. */
const keepMs = 60 * 60_000;
/** More keys than a cluster has. */
const maxKeys = 32;
const dayMs = 24 * 60 * 60_000;
/** The platform permits 365 days. */
const validMs = 210 * dayMs;
const renewMs = 30 * dayMs;

const text = z.string().max(4096);
/** The members of a public key that matter for a signature. All others are dropped, private ones included. */
const publicKey = z.object({
  alg: text.optional(),
  crv: text.optional(),
  e: text.optional(),
  kid: text.optional(),
  kty: z.enum(["RSA", "EC", "OKP"]),
  n: text.optional(),
  use: text.optional(),
  x: text.optional(),
  y: text.optional(),
});
const jwks = z.object({ keys: z.array(z.unknown()) });

/**
 * What is known after the response `document` of an API server: its keys are seen now, and keys that were not seen for an
 * hour are forgotten.
 * @param now monotonic, in milliseconds.
 * @throws {Error} if the document is not a JWKS document with public keys.
 */
export function seeKeys(seen: SeenKeys, document: unknown, now: number): SeenKeys {
  const parsed = jwks.safeParse(document);
  const keys = (parsed.data?.keys ?? []).flatMap((key) => publicKey.safeParse(key).data ?? []);
  if (keys.length === 0) throw new Error("the response is not a JWKS document with public keys");
  const entries = [...seen].filter(([, seenAt]) => now - seenAt < keepMs);
  const all = new Map([...entries, ...keys.map((key) => [JSON.stringify(key), now] as const)]);
  const latest = [...all].toSorted(([, a], [, b]) => b - a);
  return new Map(latest.slice(0, maxKeys));
}

/**
 * The keys to write into identities; undefined if there are none.
 * @param dropped key ids (`kid`) that must not be used any more, although API servers may publish them.
 * @param now the wall clock, for the expiry: 180 to 210 days from now, renewed every 30 days.
 */
export function uploadedKeys(seen: SeenKeys, dropped: readonly string[], now: number): UploadedKeys | undefined {
  const keys = [...seen.keys()]
    .toSorted()
    .map((key) => publicKey.parse(JSON.parse(key)))
    .filter(({ kid }) => kid === undefined || !dropped.includes(kid));
  if (keys.length === 0) return undefined;
  const expiry = Math.floor(now / renewMs) * renewMs + validMs;
  return { issuerKeys: JSON.stringify({ keys }), expirationTime: new Date(expiry).toISOString() };
}
