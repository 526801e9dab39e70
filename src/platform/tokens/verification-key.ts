import { createPublicKey, type KeyObject } from "node:crypto";
import { type CryptoKey, importJWK, type JWK } from "jose";

/**
 * The algorithms of each type of key. Only asymmetric ones: `none` does not sign, and anyone could compute an HMAC with a
 * public key.
 */
const rsaAlgorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
const curveAlgorithms: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["P-256", ["ES256"]],
  ["P-384", ["ES384"]],
  ["P-521", ["ES512"]],
  ["Ed25519", ["EdDSA", "Ed25519"]],
]);
/** In bits. Shorter RSA keys are not secure; verifying with longer ones takes milliseconds. */
const modulus = { least: 2_048, most: 8_192 };
const largestExponent = 2n ** 32n;
const maximumIdLength = 1_024;

/** An estimate of the memory of an imported key, which there is for each algorithm that tokens name. */
const importedBytes = 1_024;

/** A public key that can verify tokens. It is imported once for each algorithm, which costs as much as a verification. */
export class VerificationKey {
  static #count = 0;
  /** Identifies the object: no other one of this process ever has the number. */
  readonly number = ++VerificationKey.#count;
  readonly #jwk: JWK;
  readonly #algorithms: readonly string[];
  readonly #imported = new Map<string, Promise<CryptoKey>>();
  readonly id: string | undefined;

  private constructor(jwk: JWK, algorithms: readonly string[], id: string | undefined) {
    this.#jwk = jwk;
    this.#algorithms = algorithms;
    this.id = id;
  }

  /** Keeps only the members that are used. @returns undefined if no token can be verified with the key */
  static of(jwk: JWK): VerificationKey | undefined {
    const { kty, kid, use, key_ops: operations, alg } = jwk;
    if (kid !== undefined && (typeof kid !== "string" || kid.length > maximumIdLength)) return undefined;
    if (use !== undefined && use !== "sig") return undefined;
    if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) return undefined;
    const possible = kty === "RSA" ? rsaAlgorithms : (curveAlgorithms.get(jwk.crv) ?? []);
    const algorithms = possible.filter((algorithm) => alg === undefined || alg === algorithm);
    const key = algorithms.length === 0 ? undefined : publicKeyOf(jwk);
    if (key === undefined) return undefined;
    return new VerificationKey(key.export({ format: "jwk" }), algorithms, kid);
  }

  /** An estimate of the memory that the key needs. */
  get bytes(): number {
    return 4_096 + 2 * (this.id?.length ?? 0) + importedBytes * this.#algorithms.length;
  }

  canVerify(algorithm: string): boolean {
    return this.#algorithms.includes(algorithm);
  }

  /** The key to verify with. @throws if the key does not fit the algorithm */
  for(algorithm: string): Promise<CryptoKey> {
    let imported = this.#imported.get(algorithm);
    if (imported === undefined) {
      imported = importJWK(this.#jwk, algorithm) as Promise<CryptoKey>;
      this.#imported.set(algorithm, imported);
    }
    return imported;
  }
}

/** @returns undefined if the members are not those of a key, or the key is weak or slow */
function publicKeyOf(jwk: JWK): KeyObject | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    return undefined;
  }
  const { asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {} } = key;
  if (asymmetricKeyType !== "rsa") return key;
  const isUsable = modulusLength >= modulus.least && modulusLength <= modulus.most && publicExponent <= largestExponent;
  return isUsable ? key : undefined;
}
