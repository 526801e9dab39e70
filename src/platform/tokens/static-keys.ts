import { hash } from "node:crypto";
import { BoundedCache } from "../limits/bounded-cache.ts";
import { fingerprintOf, parseJwks } from "./jwks.ts";
import { KeySet } from "./key-set.ts";

/** The keys in the JWKS documents of identities with static keys. Each document is read once while it is used. */
export class StaticKeySets {
  readonly #known = new BoundedCache<string, KeySet>({ entries: 10_000, bytes: 8 * 1024 * 1024 });

  /** The keys of a document, with their fingerprints. None if it is not a JWKS document. */
  of(document: string): KeySet {
    const digest = hash("sha256", document, "base64url");
    let keys = this.#known.get(digest);
    if (keys === undefined) {
      keys = new KeySet(parseJwks(document)?.publicKeys ?? [], fingerprintOf);
      this.#known.set(digest, keys, keys.bytes);
    }
    return keys;
  }
}
