import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { Random } from "./random.ts";

/** An identity whose issuer is ours, so that it can be assumed. */
export interface Assumed {
  readonly uid: string;
  readonly subject: string;
}

interface Caller extends Assumed {
  token: string;
}

/** Sends one request of the API. @throws Error where it does not succeed */
export type Send = (method: string, path: string, body?: object, token?: string) => Promise<Record<string, unknown>>;

const issuer = "https://fuzz.example.com";

/** Who calls: the admin, identities with fewer rights, nobody, and tokens that are wrong. */
export class Callers {
  readonly #adminToken: string;
  readonly #callers: readonly Caller[];
  readonly #baseUrl: string;
  /** Incoming tokens by the subjects of identities. Made ahead: signing takes its time. */
  readonly #right: ReadonlyMap<string, string>;
  readonly #wrong: readonly string[];
  readonly #refreshTokens: string[] = [];

  private constructor(
    adminToken: string,
    callers: readonly Caller[],
    baseUrl: string,
    right: ReadonlyMap<string, string>,
    wrong: readonly string[],
  ) {
    this.#adminToken = adminToken;
    this.#callers = callers;
    this.#baseUrl = baseUrl;
    this.#right = right;
    this.#wrong = wrong;
  }

  /** Makes the identities, below a group: one for each role. */
  static async make(send: Send, adminToken: string, group: string, baseUrl: string): Promise<Callers> {
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
    const { right, wrong } = await incomingTokens(privateKey, audience);
    for (const caller of callers) {
      const query = `aud=${encodeURIComponent(baseUrl)}&identity=${caller.uid}`;
      const { token } = await send("GET", `/sts/exchange?${query}`, undefined, right.get(caller.subject));
      caller.token = token as string;
    }
    return new Callers(adminToken, callers, baseUrl, right, wrong);
  }

  /** What must not be shown. */
  get secrets(): ReadonlyMap<string, string> {
    const own = this.#callers.map(({ token, subject }): [string, string] => [token, `${subject.toUpperCase()}_TOKEN`]);
    return new Map([[this.#adminToken, "ADMIN_TOKEN"], ...own]);
  }

  get admin(): string {
    return this.#adminToken;
  }

  /** What tokens are for. */
  get audience(): string {
    return this.#baseUrl;
  }

  /** An identity that an incoming token of ours may assume. */
  assumed(random: Random): Assumed {
    return random.pick(this.#callers);
  }

  /** Remembers a refresh token, for one use. */
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

  /** The same for the token exchange: tokens of our issuer for the identity, and wrong ones; or refresh tokens. */
  incoming(isRefresh: boolean, { subject }: Assumed, random: Random): string {
    if (isRefresh && this.#refreshTokens.length > 0 && random.chance(0.8))
      return `Bearer ${random.pick(this.#refreshTokens)}`;
    if (random.chance(0.05)) return `Bearer ${this.#adminToken}`;
    return `Bearer ${random.chance(0.5) ? (this.#right.get(subject) ?? "") : random.pick(this.#wrong)}`;
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

async function incomingTokens(
  key: CryptoKey,
  audience: string,
): Promise<{ right: ReadonlyMap<string, string>; wrong: string[] }> {
  const claims = (changes: Record<string, unknown>, subject = "viewer") => ({
    ...claimsOf(subject, audience),
    ...changes,
  });
  const header = { alg: "ES256", kid: "1" };
  const subjects = ["viewer", "editor", "owner"];
  const right = await Promise.all(
    subjects.map(async (subject) => [subject, await signed(key, claims({}, subject), header)] as const),
  );
  const [, sample = ""] = right[0] ?? [];
  const changed = [
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
  const wrong = await Promise.all(changed.map((one) => signed(key, claims(one), header)));
  const [, payload = "", signature = ""] = sample.split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const hs256 = Buffer.from('{"alg":"HS256","kid":"1"}').toString("base64url");
  const odd = Buffer.from('{"alg":"ES256","kid":{"a":1},"crit":["x"],"b64":false}').toString("base64url");
  const all = [
    ...wrong,
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
  return { right: new Map(right), wrong: all };
}
