import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";

const keyLength = 32;
const ivLength = 12;
const tagLength = 16;
/** The maximum length of the HKDF info parameter in Node (bytes). */
const longestInfo = 1_024;

/**
 * The platform's master key, which is stored separately from its data. Secrets in the data are sealed with it, and the
 * key that signs page tokens is derived from it. A copy of the data reveals no secret without the key file.
 */
export class MasterKey {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    if (key.length !== keyLength) throw new Error(`a master key must have ${keyLength} bytes`);
    this.#key = key;
  }

  /** Derives the key for one purpose. It reveals neither the master key nor the key for another purpose. */
  derive(purpose: string): Uint8Array {
    // A purpose may contain a uid, which may be longer than the limit.
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

  /** Reverses `seal`. @throws Error if the data was sealed with another key or for another purpose, or was modified */
  open(purpose: string, sealed: Uint8Array): string {
    const decipher = createDecipheriv("aes-256-gcm", this.derive(purpose), sealed.subarray(0, ivLength));
    decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
    try {
      return decipher.update(sealed.subarray(ivLength + tagLength), undefined, "utf8") + decipher.final("utf8");
    } catch (cause) {
      throw new Error(
        "the data was sealed with another key file: restore that file from its backup, or name it with --key-file",
        { cause },
      );
    }
  }
}

/**
 * Seals a secret with another key. @returns undefined if it is sealed with that key already
 * @throws Error if it opens with neither of the keys
 */
export function reseal(
  { from, to }: { readonly from: MasterKey; readonly to: MasterKey },
  purpose: string,
  sealed: Uint8Array,
): Uint8Array | undefined {
  try {
    to.open(purpose, sealed);
    return undefined;
  } catch {
    return to.seal(purpose, from.open(purpose, sealed));
  }
}

/**
 * Reads the key file, or creates it (mode 0600) if it does not exist.
 * @throws Error if the file is not a key file or cannot be read
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
