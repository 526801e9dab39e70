import { hash } from "node:crypto";
import { jwtVerify } from "jose";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { Actor, Caller, Downscoping } from "../authorization/caller.ts";
import { type Capability, capabilityNamed, dottedNameOf } from "../authorization/capability.ts";
import { initialStamp, type TokenStamp } from "../authorization/security-stamp.ts";
import { unauthenticated } from "../errors/api-error.ts";
import { BoundedCache } from "../limits/bounded-cache.ts";
import { signJwt } from "./sign-jwt.ts";
import { type SigningKeys, signingAlgorithm } from "./signing-keys.ts";
import { apiTokenLifetime } from "./token-lifetime.ts";

/** The content of an API token, apart from its times. */
export interface ApiTokenContent {
  readonly identityUid: string;
  /** Read in the transaction that decided that the identity may be assumed. */
  readonly stamp: TokenStamp;
  readonly audiences: readonly string[];
  readonly downscoping: Downscoping;
  readonly actor: Actor;
}

/** The memory of a caller is at most about that of its token as text, and a little more. */
const bytesOf = (token: string) => 1_024 + 2 * token.length;

/** What a token proved, for as long as its signing key is published. */
interface Verified {
  readonly caller: Caller;
  readonly expires: number;
  readonly kid: string;
}

/** Issues and verifies the platform's own tokens: JWTs that are signed with a published key. */
export class ApiTokens {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #audience: string;
  readonly #clock: WallClock;
  /** Its keys are hashes, because tokens are secrets. */
  readonly #verified = new BoundedCache<string, Verified>({
    entries: 10_000,
    bytes: 16 * 1024 * 1024,
  });

  /** @param audience that a token must have to be accepted: the base URL of the API */
  constructor(keys: SigningKeys, issuer: string, audience: string, clock: WallClock) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#audience = audience;
    this.#clock = clock;
  }

  async issue({
    identityUid,
    stamp,
    audiences,
    downscoping,
    actor,
  }: ApiTokenContent): Promise<{ token: string; expires: number }> {
    const issued = Math.floor(this.#clock() / 1_000);
    const expires = issued + apiTokenLifetime / 1_000;
    const { capabilities, groups } = downscoping;
    const { kid, privateKey } = await this.#keys.current();
    const header = {
      kid,
      typ: "JWT",
      // The contract lists the claims; a parameter of the header is ignored by those who do not know it.
      ...(stamp.key === undefined ? {} : { subject_key: stamp.key }),
      ...(stamp.login === undefined ? {} : { sid: stamp.login }),
    };
    const claims = {
      act: actor,
      ...(capabilities === undefined ? {} : { cap: [...capabilities].map(dottedNameOf) }),
      ...(groups === undefined ? {} : { scopes: groups }),
      ...(stamp.value === initialStamp.value ? {} : { stamp: stamp.value }),
      iss: this.#issuer,
      sub: identityUid,
      aud: audiences,
      iat: issued,
      exp: expires,
    };
    const token = signJwt(header, claims, privateKey);
    return { token, expires: expires * 1_000 };
  }

  /**
   * The caller that holds the token. It does not check whether the identity still exists and the token was not ended: every
   * request reads that.
   * @throws ApiError (16)
   */
  async verify(token: string): Promise<Caller> {
    const digest = hash("sha256", token, "base64url");
    const cached = this.#verified.get(digest);
    if (cached !== undefined && this.#clock() < cached.expires && (await this.#isPublished(cached.kid)))
      return cached.caller;
    const verified = await this.#verify(token);
    this.#verified.set(digest, verified, bytesOf(token));
    return verified.caller;
  }

  /** An estimate of the memory of the verified tokens. */
  get cachedBytes(): number {
    return this.#verified.bytes;
  }

  async #isPublished(kid: string): Promise<boolean> {
    return (await this.#keys.publicKey(kid)) !== undefined;
  }

  async #verify(token: string): Promise<Verified> {
    let verified: Awaited<ReturnType<typeof jwtVerify>>;
    try {
      verified = await jwtVerify(token, ({ kid }) => this.#publicKey(kid), {
        algorithms: [signingAlgorithm],
        typ: "JWT",
        issuer: this.#issuer,
        audience: this.#audience,
        currentDate: new Date(this.#clock()),
        requiredClaims: ["sub", "exp", "iat"],
      });
    } catch {
      throw unauthenticated("the bearer token is not a valid API token of this platform");
    }
    const { payload, protectedHeader } = verified;
    const downscoping: Downscoping = {
      capabilities: capabilitiesOf(payload["cap"]),
      groups: payload["scopes"] as readonly string[] | undefined,
    };
    return {
      caller: {
        kind: "identity",
        uid: payload.sub ?? "",
        stamp: {
          value: typeof payload["stamp"] === "string" ? payload["stamp"] : initialStamp.value,
          key: textIn(protectedHeader, "subject_key"),
          login: textIn(protectedHeader, "sid"),
        },
        downscoping,
        actor: payload["act"] as Actor | undefined,
      },
      expires: (payload.exp ?? 0) * 1_000,
      kid: protectedHeader.kid ?? "",
    };
  }

  async #publicKey(kid: string | undefined) {
    const publicKey = await this.#keys.publicKey(kid ?? "");
    if (publicKey === undefined) throw new Error("unknown key id");
    return publicKey;
  }
}

function textIn(header: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = header[name];
  return typeof value === "string" ? value : undefined;
}

/** Unknown capabilities are ignored: they grant nothing and do not remove the limit. */
function capabilitiesOf(claim: unknown): ReadonlySet<Capability> | undefined {
  if (!Array.isArray(claim)) return undefined;
  return new Set(claim.map((name) => capabilityNamed(String(name))).filter((capability) => capability !== undefined));
}
