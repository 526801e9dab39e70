import { decodeProtectedHeader, type JWK } from "jose";
import { tokenLimits } from "../limits/token-limits.ts";
import { VerificationKey } from "./verification-key.ts";

/** The signed content and the signature (RFC 7515, 7.1). */
const compactForm = /^([\w-]+\.[\w-]+)\.([\w-]+)$/;

/** A key of a set. */
export interface Signer {
  readonly key: VerificationKey;
  /** What identifies the key, if the set was created with fingerprints. */
  readonly fingerprint: string | undefined;
}

/** The keys that vouch for the tokens of an issuer. */
export class KeySet {
  readonly #keys: readonly Signer[];

  /** @param fingerprint computes what identifies a key; undefined if nobody asks for it */
  constructor(jwks: readonly JWK[], fingerprint?: (jwk: JWK) => string) {
    this.#keys = jwks.flatMap((jwk) => {
      const key = VerificationKey.of(jwk);
      return key === undefined ? [] : [{ key, fingerprint: fingerprint?.(jwk) }];
    });
  }

  /** The number of keys that can verify tokens. */
  get size(): number {
    return this.#keys.length;
  }

  /** An estimate of the memory that the keys need. */
  get bytes(): number {
    return this.#keys.reduce((sum, { key }) => sum + key.bytes, 1_024);
  }

  has(id: string): boolean {
    return this.#keys.some(({ key }) => key.id === id);
  }

  /** The key with this number (`VerificationKey.number`); undefined if the set does not have it. */
  signerWith(number: number): Signer | undefined {
    return this.#keys.find(({ key }) => key.number === number);
  }

  /**
   * The key that signed the token; undefined if none did. The key must have the id and allow the algorithm that the token
   * names. Several keys may: an issuer need not give its keys ids. The first of them are tried, up to the limit.
   */
  async signerOf(token: string): Promise<Signer | undefined> {
    const [, content, encoded] = compactForm.exec(token) ?? [];
    if (content === undefined || encoded === undefined) return undefined;
    const [signed, signature] = [Buffer.from(content), Buffer.from(encoded, "base64url")];
    for (const signer of this.#candidates(token))
      if (await signer.key.verifies(signer.alg, signed, signature)) return signer;
    return undefined;
  }

  #candidates(token: string): readonly (Signer & { readonly alg: string })[] {
    let header: { readonly alg?: unknown; readonly kid?: unknown; readonly crit?: unknown; readonly b64?: unknown };
    try {
      header = decodeProtectedHeader(token);
    } catch {
      return [];
    }
    const { alg, kid, crit, b64 = true } = header;
    // No extension is supported (RFC 7515, 4.1.11). A JWT is always encoded (RFC 7797, 7).
    if (typeof alg !== "string" || crit !== undefined || b64 !== true) return [];
    return this.#keys
      .filter(({ key }) => (kid === undefined || key.id === kid) && key.canVerify(alg))
      .slice(0, tokenLimits.triedKeys.value)
      .map((signer) => ({ ...signer, alg }));
  }
}
