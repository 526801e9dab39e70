import { hash } from "node:crypto";
import type { WallClock } from "#src/time/wall-clock.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import type { KeySet, Signer } from "./key-set.ts";

/** Which key has signed a token, and until when the token can be presented. */
interface Verified {
  /** The number of a `VerificationKey`. */
  readonly key: number;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** An estimate of the memory of an entry: its digest, the object and its place in the cache. */
const entryBytes = 256;

/**
 * The signatures of subject tokens that were verified, because pods present the same token again and again.
 *
 * *Guarantees*: an entry says only that a key has signed a token, all of whose text is in its digest. It is used only while that very key
 * is in the key set that would verify the token, so whatever ends a key ends what it has signed at once: other static keys of the
 * identity, other keys of the issuer, or another identity with other keys for the same issuer. It is not used after the token has
 * expired. Signatures that are not valid are not remembered. Everything else about a token is read and checked each time.
 */
export class VerifiedSignatures {
  readonly #clock: WallClock;
  readonly #verified = new BoundedCache<string, Verified>({ entries: 32_768, bytes: 4 * 1024 * 1024 });

  constructor(clock: WallClock) {
    this.#clock = clock;
  }

  /** An estimate of the memory of the entries. */
  get bytes(): number {
    return this.#verified.bytes;
  }

  /**
   * The key of the set that signed a token, as `KeySet.signerOf`.
   * @param expires when the token expires, in milliseconds since the epoch
   */
  async signerOf(keys: KeySet, token: string, expires: number): Promise<Signer | undefined> {
    const digest = hash("sha256", token, "base64url");
    const known = this.#verified.get(digest);
    if (known !== undefined) {
      const signer = this.#clock() < known.expires ? keys.signerWith(known.key) : undefined;
      if (signer !== undefined) return signer;
      this.#verified.delete(digest);
    }
    const signer = await keys.signerOf(token);
    if (signer !== undefined) this.#verified.set(digest, { key: signer.key.number, expires }, entryBytes);
    return signer;
  }
}
