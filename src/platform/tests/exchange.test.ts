import { decodeJwt } from "jose";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

let platform: RunningPlatform;
let identity: string;
const lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  const log = pino({ level: "info" }, { write: (line) => void lines.push(JSON.parse(line)) });
  platform = await RunningPlatform.start({ audiences: ["https://other.example.com"] }, { log });
  identity = await platform.makeIdentity(platform.root);
});
afterAll(() => platform.stop());

const denied = { status: 403, body: { code: 7 } };

describe("token exchange", () => {
  it("returns an API token with exactly the claims iss, sub, aud, act, iat and exp", async () => {
    const { body } = await platform.exchange(await platform.subjectToken(identity), identity);
    expect(Object.keys(decodeJwt(body.token)).toSorted()).toEqual(["act", "aud", "exp", "iat", "iss", "sub"]);
  });

  it("returns an API token that is rejected after one hour", async () => {
    const separate = await RunningPlatform.start();
    const caller = await separate.callerWith("viewer", separate.root);
    separate.advance(3_590_000);
    expect((await caller.get("/iam/v2beta1/groups")).status).toBe(200);
    separate.advance(15_000);
    expect((await caller.get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
    await separate.stop();
  });

  it("logs why an exchange was refused, without the token, and tells the caller less", async () => {
    const token = await platform.subjectToken(identity, { sub: "somebody else" });
    const unknown = `${platform.root}/ffffffffffffffff`;
    const expired = await platform.subjectToken(identity, { exp: 1 });
    lines.length = 0;
    const { text } = await platform.exchange(token, identity);
    expect((await platform.exchange(token, unknown)).text).toBe(text);
    await platform.exchange(expired, identity);
    const refusal = { msg: "call refused", issuer: "https://issuer.example.com", audiences: ["127.0.0.1"] };
    expect(lines).toMatchObject([
      { ...refusal, identity, mismatch: "the subject does not match", subject: "somebody else" },
      { ...refusal, mismatch: "the identity does not exist" },
      { ...refusal, identity, mismatch: "Permission denied: the token has expired", subject: "caller" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("eyJ");
  });

  it("rejects very large subject tokens with 16", async () => {
    const large = await platform.subjectToken(identity, { padding: "x".repeat(16_000) });
    const response = await platform.exchange(large, identity);
    expect(response.body).toMatchObject({ code: 16 });
    const fits = await platform.subjectToken(identity, { padding: "x".repeat(8_000) });
    expect((await platform.exchange(fits, identity)).status).toBe(200);
  });

  it("issues tokens for audiences from the settings, which the API itself does not accept", async () => {
    const subjectToken = await platform.subjectToken(identity);
    const { body } = await platform
      .as(subjectToken)
      .get(`/sts/exchange?identity=${identity}&aud=https://other.example.com`);
    expect(decodeJwt(body.token).aud).toEqual(["https://other.example.com"]);
    expect((await platform.as(body.token).get("/iam/v2beta1/groups")).body).toMatchObject({ code: 16 });
  });

  it("updates the identity's lastSeenTime, but not its updateTime", async () => {
    const separate = await RunningPlatform.start();
    const uid = await separate.makeIdentity(separate.root);
    const before = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    separate.advance(120_000);
    expect((await separate.exchange(await separate.subjectToken(uid), uid)).status).toBe(200);
    const after = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    expect(Date.parse(after["lastSeenTime"] as string) - Date.parse(before.createTime)).toBeGreaterThanOrEqual(120_000);
    expect(after.updateTime).toBe(before.updateTime);
    await separate.stop();
  });

  it("updates lastSeenTime in the first exchange, also in the millisecond of the creation", async () => {
    const separate = await RunningPlatform.start();
    separate.freeze();
    const uid = await separate.makeIdentity(separate.root);
    expect((await separate.exchange(await separate.subjectToken(uid), uid)).status).toBe(200);
    const { createTime, lastSeenTime } = await separate.admin.ok("GET", `/iam/v2beta1/identities/${uid}`);
    expect(Date.parse(String(lastSeenTime)) - Date.parse(createTime)).toBe(1);
    await separate.stop();
  });
});

it("counts only callers that have proved to be the identity against its rate limit", async () => {
  const separate = await RunningPlatform.start({}, { rateLimit: 2 });
  separate.freeze();
  const uid = await separate.makeIdentity(separate.root);
  const token = await separate.subjectToken(uid);
  const somebodyElse = await separate.subjectToken(uid, { sub: "somebody else" });
  for (let count = 0; count < 5; count++) expect(await separate.exchange(somebodyElse, uid)).toMatchObject(denied);
  for (const status of [200, 200, 429]) expect((await separate.exchange(token, uid)).status).toBe(status);
  await separate.stop();
});

describe("an auth URL with a path", () => {
  it("is where the token service and its documents are served, and the issuer of tokens", async () => {
    const address = "127.0.0.1:19";
    const separate = await RunningPlatform.start({ authUrl: `http://${address}/some/auth` });
    const uid = await separate.makeIdentity(separate.root);
    const token = await separate.subjectToken(uid);
    const query = `aud=${encodeURIComponent(separate.url)}&identity=${uid}`;
    const { status, body } = await separate.as(token).get(`/some/auth/sts/exchange?${query}`);
    expect(status).toBe(200);
    expect(decodeJwt(body.token).iss).toBe(`http://${address}/some/auth`);
    const refresh = "/some/auth/sts/exchange_refresh_token";
    expect((await separate.as(String(body["refreshToken"])).post(refresh, {})).status).toBe(200);
    const anonymous = separate.as(undefined);
    const discovery = await anonymous.get("/some/auth/.well-known/openid-configuration");
    const { jwks_uri: keys } = discovery.body as unknown as { jwks_uri: string };
    expect((await anonymous.get(new URL(keys).pathname)).body["keys"]).toHaveLength(1);
    expect((await anonymous.get("/sts/exchange")).body).toMatchObject({ code: 16 });
    expect((await anonymous.get("/some/auth/iam/v2beta1/groups")).status).toBe(404);
    await separate.stop();
  });
});
