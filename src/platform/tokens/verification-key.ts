import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { promisify } from "node:util";
import type { JWK } from "jose";
import { derOfSignature } from "./ecdsa-signature.ts";

/** How an algorithm verifies (RFC 7518, 3.1; RFC 8037, 3.1). */
interface Algorithm {
  readonly hash: string | null;
  readonly padding?: number;
  /** The bytes of an ECDSA signature. */
  readonly size?: number;
}

type Algorithms = readonly (readonly [name: string, Algorithm])[];

/**
 * The algorithms of each type of key. Only asymmetric ones: `none` does not sign, and anyone could compute an HMAC with a
 * public key. The salt of RSASSA-PSS is as long as the hash.
 */
const rsaAlgorithms: Algorithms = ["256", "384", "512"].flatMap(
  (bits): Algorithms => [
    [`RS${bits}`, { hash: `sha${bits}` }],
    [`PS${bits}`, { hash: `sha${bits}`, padding: constants.RSA_PKCS1_PSS_PADDING }],
  ],
);
const curveAlgorithms: ReadonlyMap<unknown, Algorithms> = new Map(
  Object.entries<Algorithms>({
    "P-256": [["ES256", { hash: "sha256", size: 64 }]],
    "P-384": [["ES384", { hash: "sha384", size: 96 }]],
    "P-521": [["ES512", { hash: "sha512", size: 132 }]],
    Ed25519: ["EdDSA", "Ed25519"].map((name) => [name, { hash: null }]),
  }),
);
/** In bits. Shorter RSA keys are not secure; verifying with longer ones takes milliseconds. */
const modulus = { least: 2_048, most: 8_192 };
const largestExponent = 2n ** 32n;
/** RSA keys that verify within 0.1 ms. */
const quick = { modulus: 3_072, exponent: 65_537n };
const maximumIdLength = 1_024;

/** A public key that can verify tokens. It is imported once, which costs as much as a verification. */
export class VerificationKey {
  static #count = 0;
  /** Identifies the object: no other one of this process ever has the number. */
  readonly number = ++VerificationKey.#count;
  readonly #key: KeyObject;
  readonly #algorithms: ReadonlyMap<string, Algorithm>;
  readonly #isQuick: boolean;
  readonly id: string | undefined;

  private constructor(key: KeyObject, algorithms: ReadonlyMap<string, Algorithm>, id: string | undefined) {
    this.#key = key;
    this.#algorithms = algorithms;
    this.#isQuick = isQuick(key);
    this.id = id;
  }

  /** @returns undefined if no token can be verified with the key */
  static of(jwk: JWK): VerificationKey | undefined {
    const { kty, kid, use, key_ops: operations, alg, crv } = jwk;
    if (kid !== undefined && (typeof kid !== "string" || kid.length > maximumIdLength)) return undefined;
    if (use !== undefined && use !== "sig") return undefined;
    if (operations !== undefined && !(Array.isArray(operations) && operations.includes("verify"))) return undefined;
    const possible = kty === "RSA" ? rsaAlgorithms : (curveAlgorithms.get(crv) ?? []);
    const algorithms = new Map(possible.filter(([name]) => alg === undefined || alg === name));
    const key = algorithms.size === 0 ? undefined : publicKeyOf(jwk);
    return key && new VerificationKey(key, algorithms, kid);
  }

  /** An estimate of the memory that the key needs. */
  get bytes(): number {
    return 6_144 + 2 * (this.id?.length ?? 0);
  }

  canVerify(algorithm: string): boolean {
    return this.#algorithms.has(algorithm);
  }

  /**
   * Whether a signature is that of the content. It is verified with node:crypto, which takes 0.4 of the CPU time of jose, and on this
   * thread if the key is quick: another one takes as long again to begin.
   */
  async verifies(algorithm: string, content: Buffer, signature: Buffer): Promise<boolean> {
    const used = this.#algorithms.get(algorithm);
    if (used === undefined) return false;
    const { hash, padding, size } = used;
    if (size !== undefined && signature.length !== size) return false;
    const bytes = size === undefined ? signature : derOfSignature(signature);
    const key =
      padding === undefined ? this.#key : { key: this.#key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
    return this.#isQuick ? verify(hash, content, key, bytes) : verifyElsewhere(hash, content, key, bytes);
  }
}

const verifyElsewhere = promisify(verify);

function isQuick({ asymmetricKeyType, asymmetricKeyDetails = {} }: KeyObject): boolean {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = asymmetricKeyDetails;
  if (asymmetricKeyType === "rsa") return modulusLength <= quick.modulus && publicExponent <= quick.exponent;
  return namedCurve === "prime256v1";
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
