import { hash } from "node:crypto";
import { jwtVerify, SignJWT } from "jose";
import type { Actor, Caller, Downscoping } from "../access/caller.ts";
import { type Capability, capabilityNamed, dottedNameOf } from "../access/capability.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import { unauthenticated } from "../errors/api-error.ts";
import { type SigningKeys, signingAlgorithm } from "./signing-keys.ts";
import { apiTokenLifetime } from "./token-lifetime.ts";

/** What an API token says beside its times. */
export interface ApiTokenContent {
  readonly identityUid: string;
  readonly audiences: readonly string[];
  readonly downscoping: Downscoping;
  readonly actor: Actor;
}

/** Verified tokens that are remembered; a token is a secret, so by its hash. */
const maximumRemembered = 10_000;

/** Issues and verifies the platform's own tokens: JWTs, signed by a key that it publishes. */
export class ApiTokens {
  readonly #keys: SigningKeys;
  readonly #issuer: string;
  readonly #audience: string;
  readonly #clock: WallClock;
  readonly #verified = new Map<string, { readonly caller: Caller; readonly expires: number }>();

  /** @param audience what a token must be for to be taken here: the address of the API */
  constructor(keys: SigningKeys, issuer: string, audience: string, clock: WallClock) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#audience = audience;
    this.#clock = clock;
  }

  async issue({
    identityUid,
    audiences,
    downscoping,
    actor,
  }: ApiTokenContent): Promise<{ token: string; expires: number }> {
    const issued = Math.floor(this.#clock() / 1_000);
    const expires = issued + apiTokenLifetime / 1_000;
    const { capabilities, groups } = downscoping;
    const { kid, privateKey } = await this.#keys.current();
    const token = await new SignJWT({
      act: { ...actor },
      ...(capabilities === undefined ? {} : { cap: [...capabilities].map(dottedNameOf) }),
      ...(groups === undefined ? {} : { scopes: groups }),
    })
      .setProtectedHeader({ alg: signingAlgorithm, kid, typ: "JWT" })
      .setIssuer(this.#issuer)
      .setSubject(identityUid)
      .setAudience([...audiences])
      .setIssuedAt(issued)
      .setExpirationTime(expires)
      .sign(privateKey);
    return { token, expires: expires * 1_000 };
  }

  /**
   * Who holds the token. Whether its identity still exists is read by every request anew.
   * @throws ApiError (16)
   */
  async verify(token: string): Promise<Caller> {
    const digest = hash("sha256", token, "base64url");
    const remembered = this.#verified.get(digest);
    if (remembered !== undefined && this.#clock() < remembered.expires) return remembered.caller;
    this.#verified.delete(digest);
    const verified = await this.#verify(token);
    if (this.#verified.size >= maximumRemembered) this.#forgetOldest();
    this.#verified.set(digest, verified);
    return verified.caller;
  }

  async #verify(token: string): Promise<{ caller: Caller; expires: number }> {
    let payload: Awaited<ReturnType<typeof jwtVerify>>["payload"];
    try {
      ({ payload } = await jwtVerify(token, ({ kid }) => this.#publicKey(kid), {
        algorithms: [signingAlgorithm],
        typ: "JWT",
        issuer: this.#issuer,
        audience: this.#audience,
        currentDate: new Date(this.#clock()),
        requiredClaims: ["sub", "exp", "iat"],
      }));
    } catch {
      throw unauthenticated("the token is not a valid API token of this platform");
    }
    const downscoping: Downscoping = {
      capabilities: capabilitiesOf(payload["cap"]),
      groups: payload["scopes"] as readonly string[] | undefined,
    };
    return {
      caller: {
        kind: "identity",
        uid: payload.sub ?? "",
        downscoping,
        actor: payload["act"] as Actor | undefined,
      },
      expires: (payload.exp ?? 0) * 1_000,
    };
  }

  async #publicKey(kid: string | undefined) {
    const known = await this.#keys.publicKey(kid ?? "");
    if (known === undefined) throw new Error("unknown key");
    return known;
  }

  #forgetOldest(): void {
    for (const [digest] of this.#verified) {
      this.#verified.delete(digest);
      return;
    }
  }
}

/** A capability that this version does not know gives nothing, and takes nothing from the limit. */
function capabilitiesOf(claim: unknown): ReadonlySet<Capability> | undefined {
  if (!Array.isArray(claim)) return undefined;
  return new Set(claim.map((name) => capabilityNamed(String(name))).filter((one) => one !== undefined));
}
