import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Random } from "./random.ts";

/** An identity whose issuer is the fuzzer, which can sign subject tokens for it. */
export interface AssumableIdentity {
  readonly uid: string;
  readonly subject: string;
}

interface Caller extends AssumableIdentity {
  token: string;
}

/** Sends one request to the API, by default as the administrator. @throws {Error} if it does not succeed */
export type Send = (method: string, path: string, body?: object, token?: string) => Promise<Record<string, unknown>>;

const issuer = "https://fuzz.example.com";

/** The credentials of requests: the administrator's, those of identities with fewer permissions, and invalid ones. */
export class Callers {
  readonly #adminToken: string;
  readonly #callers: readonly Caller[];
  readonly #baseUrl: string;
  /** Valid subject tokens by subject. They are signed in advance, because signing is slow. */
  readonly #valid: ReadonlyMap<string, string>;
  readonly #invalid: readonly string[];
  readonly #refreshTokens: string[] = [];

  private constructor(
    adminToken: string,
    callers: readonly Caller[],
    baseUrl: string,
    valid: ReadonlyMap<string, string>,
    invalid: readonly string[],
  ) {
    this.#adminToken = adminToken;
    this.#callers = callers;
    this.#baseUrl = baseUrl;
    this.#valid = valid;
    this.#invalid = invalid;
  }

  /** Creates an identity for each of three roles in a group. */
  static async create(send: Send, adminToken: string, group: string, baseUrl: string): Promise<Callers> {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const issuerKeys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "1", alg: "ES256" }] });
    const audience = new URL(baseUrl).hostname;
    const callers: Caller[] = [];
    for (const role of ["viewer", "editor", "owner"]) {
      const { roles } = await send("GET", `/iam/v2beta1/roles?name=${role}&uidp.in_root=true`);
      const roleUid = (roles as { uid: string }[])[0]?.uid ?? "";
      const staticKeys = { issuer, subject: role, issuerKeys, audiences: [audience] };
      const { uid } = await send("POST", `/iam/v2beta1/identities/${group}`, { name: role, staticKeys });
      await send("POST", `/iam/v2beta1/roleBindings/${group}`, { identityUid: uid, roleUid });
      callers.push({ uid: uid as string, subject: role, token: "" });
    }
    const { valid, invalid } = await subjectTokens(privateKey, audience);
    for (const caller of callers) {
      const query = `aud=${encodeURIComponent(baseUrl)}&identity=${caller.uid}`;
      const { token } = await send("GET", `/sts/exchange?${query}`, undefined, valid.get(caller.subject));
      caller.token = token as string;
    }
    return new Callers(adminToken, callers, baseUrl, valid, invalid);
  }

  /** The tokens, with the names of the variables that stand for them in reproductions. */
  get secrets(): ReadonlyMap<string, string> {
    const own = this.#callers.map(({ token, subject }): [string, string] => [token, `${subject.toUpperCase()}_TOKEN`]);
    return new Map([[this.#adminToken, "ADMIN_TOKEN"], ...own]);
  }

  /** The audience of access tokens. */
  get audience(): string {
    return this.#baseUrl;
  }

  /** An identity that a valid subject token can assume. */
  assumableIdentity(random: Random): AssumableIdentity {
    return random.pick(this.#callers);
  }

  /** Keeps a refresh token, which is valid for one use. */
  addRefreshToken(token: string): void {
    this.#refreshTokens.push(token);
    if (this.#refreshTokens.length > 50) this.#refreshTokens.shift();
  }

  /** The value of an `Authorization` header. */
  bearer(random: Random): string {
    const token = random.weighted<string>([
      [8, this.#adminToken],
      ...this.#callers.map((caller) => [0.6, caller.token] as const),
      [0.1, "nonsense"],
    ]);
    return `Bearer ${token}`;
  }

  /** The header's value for a token exchange: a valid or invalid subject token, or a refresh token. */
  subjectToken(isRefresh: boolean, { subject }: AssumableIdentity, random: Random): string {
    if (isRefresh && this.#refreshTokens.length > 0 && random.chance(0.8))
      return `Bearer ${random.pick(this.#refreshTokens)}`;
    if (random.chance(0.05)) return `Bearer ${this.#adminToken}`;
    return `Bearer ${random.chance(0.5) ? (this.#valid.get(subject) ?? "") : random.pick(this.#invalid)}`;
  }
}

function claimsOf(subject: string, audience: string): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1_000);
  return { iss: issuer, sub: subject, aud: audience, iat: now, exp: now + 3_600 };
}

function signed(
  key: CryptoKey,
  claims: Record<string, unknown>,
  header: { alg: string; kid?: string },
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header).sign(key);
}

async function subjectTokens(
  key: CryptoKey,
  audience: string,
): Promise<{ valid: ReadonlyMap<string, string>; invalid: string[] }> {
  const claims = (changes: Record<string, unknown>, subject = "viewer") => ({
    ...claimsOf(subject, audience),
    ...changes,
  });
  const header = { alg: "ES256", kid: "1" };
  const subjects = ["viewer", "editor", "owner"];
  const valid = await Promise.all(
    subjects.map(async (subject) => [subject, await signed(key, claims({}, subject), header)] as const),
  );
  const [, sample = ""] = valid[0] ?? [];
  const invalidClaims = [
    { exp: 1 },
    { exp: "x" },
    { exp: 1e300 },
    { iat: 4e9 },
    { nbf: -1e300 },
    { aud: [] },
    { aud: [audience, 1] },
    { sub: "\0" },
    { iss: "x" },
    { iss: {} },
  ];
  const wrongClaims = await Promise.all(invalidClaims.map((invalid) => signed(key, claims(invalid), header)));
  const [, payload = "", signature = ""] = sample.split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const hs256 = Buffer.from('{"alg":"HS256","kid":"1"}').toString("base64url");
  const odd = Buffer.from('{"alg":"ES256","kid":{"a":1},"crit":["x"],"b64":false}').toString("base64url");
  const invalid = [
    ...wrongClaims,
    `${none}.${payload}.`,
    `${hs256}.${payload}.${signature}`,
    `${odd}.${payload}.${signature}`,
    `${sample}x`,
    sample.slice(0, -10),
    "a.b.c",
    "....",
    `${Buffer.from("null").toString("base64url")}.${Buffer.from("[]").toString("base64url")}.`,
    await signed(key, claims({}), { alg: "ES256", kid: "unknown" }),
    await signed(key, claims({}), { alg: "ES256" }),
  ];
  return { valid: new Map(valid), invalid };
}
