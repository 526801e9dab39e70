import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

const keyLength = 32;
const ivLength = 12;
const tagLength = 16;
/** Bytes that Node takes to tell the keys of a derivation apart. */
const longestInfo = 1_024;

/**
 * The platform's master key, apart from its data: what is secret in the data is sealed under it, and what replicas
 * share to sign page tokens is derived from it. Without the file, a copy of the data gives no secret away.
 */
export class MasterKey {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.length !== keyLength) throw new Error(`a master key has ${keyLength} bytes`);
    this.#key = key;
  }

  /** A key for one purpose; from it, neither the master key nor another purpose's follows. */
  derive(purpose: string): Uint8Array {
    // A purpose may name a uid, and a uid may be longer than what a key can be derived for.
    const info = Buffer.byteLength(purpose) <= longestInfo ? purpose : `sha256 ${hash("sha256", purpose)}`;
    return new Uint8Array(hkdfSync("sha256", this.#key, "muster platform", info, keyLength));
  }

  /** Encrypts and authenticates (AES-256-GCM). */
  seal(purpose: string, plaintext: string): Uint8Array {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv("aes-256-gcm", this.derive(purpose), iv);
    const sealed = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** @throws Error where it was sealed under another key or for another purpose, or was changed */
  open(purpose: string, sealed: Uint8Array): string {
    const decipher = createDecipheriv("aes-256-gcm", this.derive(purpose), sealed.subarray(0, ivLength));
    decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
    try {
      return decipher.update(sealed.subarray(ivLength + tagLength), undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new Error("the data was sealed under another key file", { cause });
    }
  }
}

/**
 * Reads the key file, or makes it (mode 0600) where there is none.
 * @throws Error where the file is no key file or others may read it
 */
export function readOrCreateKeyFile(path: string): MasterKey {
  try {
    writeFileSync(path, `${randomBytes(keyLength).toString("base64")}\n`, { flag: "wx", mode: 0o600 });
    chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = Buffer.from(readFileSync(path, "utf8").trim(), "base64");
  if (key.length !== keyLength) throw new Error(`${path} is not a key file: it must have 32 bytes in base64`);
  return new MasterKey(key);
}
