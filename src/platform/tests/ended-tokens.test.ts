import { generateKeyPairSync } from "node:crypto";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";

const groups = "/iam/v2beta1/groups";
const identityPath = (uid: string) => `/iam/v2beta1/identities/${uid}`;

type Exchanged = Client & { readonly identity: string; readonly refreshToken: string };

/** Exchanges a subject token of an identity that exists. */
async function exchanged(platform: RunningPlatform, identity: string): Promise<Exchanged> {
  const { status, body, text } = await platform.exchange(await platform.subjectToken(identity), identity);
  expect(status, text).toBe(200);
  return Object.assign(platform.as(body.token), { identity, refreshToken: String(body["refreshToken"]) });
}

async function viewer(platform: RunningPlatform): Promise<Exchanged> {
  const identity = await platform.makeIdentity(platform.root);
  await platform.admin.bind(platform.root, identity, await platform.admin.role("viewer"));
  return exchanged(platform, identity);
}

const codeOf = async (caller: Client) => ((await caller.get(groups)).body["code"] as number | undefined) ?? 0;
const refresh = (platform: RunningPlatform, token: string) =>
  platform.as(token).post("/sts/exchange_refresh_token", {});

/** A valid JWKS document with one key that nobody uses. */
function otherKey(kid = "2"): object {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256" };
}

async function keysOf(platform: RunningPlatform, uid: string): Promise<object[]> {
  const { staticKeys } = (await platform.admin.ok("GET", identityPath(uid))) as unknown as {
    staticKeys: { issuerKeys: string };
  };
  return (JSON.parse(staticKeys.issuerKeys) as { keys: object[] }).keys;
}

describe("a change of how an identity is assumed", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    platform.freeze();
  });
  afterAll(() => platform.stop());

  const change = (uid: string, body: object) => platform.admin.ok("PATCH", identityPath(uid), body);

  it("does not end the tokens that were issued after it in the same second, refreshed or not", async () => {
    const before = await viewer(platform);
    const uid = before.identity;
    await change(uid, { staticKeys: { subject: "another" } });
    await change(uid, { staticKeys: { subject: "caller" } });
    const after = await exchanged(platform, uid);
    expect(decodeJwt(after.token ?? "").iat).toBe(decodeJwt(before.token ?? "").iat);
    expect([await codeOf(before), await codeOf(after)]).toEqual([16, 0]);
    const { token, refreshToken } = (await refresh(platform, after.refreshToken)).body as unknown as Record<
      "token" | "refreshToken",
      { token: string }
    >;
    const refreshed = platform.as(token.token);
    expect(await codeOf(refreshed)).toBe(0);
    await change(uid, { staticKeys: { subject: "third" } });
    expect([await codeOf(after), await codeOf(refreshed)]).toEqual([16, 16]);
    expect((await refresh(platform, refreshToken.token)).body).toMatchObject({ code: 16 });
  });

  it("ends only the tokens that a removed key vouched for, refreshed or not, also if the key is added again", async () => {
    const first = await viewer(platform);
    const uid = first.identity;
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const second = { ...publicKey.export({ format: "jwk" }), kid: "2", alg: "ES256" };
    const [old = {}] = await keysOf(platform, uid);
    const setKeys = (...keys: object[]) => change(uid, { staticKeys: { issuerKeys: JSON.stringify({ keys }) } });
    await setKeys(old, second);
    const { iss, sub, aud, iat, exp } = decodeJwt(await platform.subjectToken(uid));
    const signed = new SignJWT({ iss, sub, aud, iat, exp } as JWTPayload).setProtectedHeader({
      alg: "ES256",
      kid: "2",
    });
    const subjectToken = await signed.sign(privateKey);
    const exchangedBySecond = async () => {
      const { status, body, text } = await platform.exchange(subjectToken, uid);
      expect(status, text).toBe(200);
      return Object.assign(platform.as(body.token), { refreshToken: String(body["refreshToken"]) });
    };
    const other = await exchangedBySecond();

    await setKeys(second);
    expect([await codeOf(first), await codeOf(other)]).toEqual([16, 0]);
    expect((await refresh(platform, first.refreshToken)).body).toMatchObject({ code: 16 });
    const refreshed = (await refresh(platform, other.refreshToken)).body as unknown as { token: { token: string } };
    expect(await codeOf(platform.as(refreshed.token.token))).toBe(0);

    await setKeys(old, second);
    expect(await codeOf(first)).toBe(16);
    expect((await refresh(platform, first.refreshToken)).body).toMatchObject({ code: 16 });
    expect(await codeOf(await exchanged(platform, uid))).toBe(0);
    expect(await codeOf(await exchangedBySecond())).toBe(0);
  });

  it("ends all tokens of an identity after many removals, so that what it stores has a bound", async () => {
    const caller = await viewer(platform);
    const keys = await keysOf(platform, caller.identity);
    for (let removed = 0; removed <= 16; removed++) {
      expect(await codeOf(caller)).toBe(0);
      for (const all of [[...keys, otherKey(String(removed + 2))], keys])
        await change(caller.identity, { staticKeys: { issuerKeys: JSON.stringify({ keys: all }) } });
    }
    expect(await codeOf(caller)).toBe(16);
    expect((await refresh(platform, caller.refreshToken)).body).toMatchObject({ code: 16 });
    expect(await codeOf(await exchanged(platform, caller.identity))).toBe(0);
  });

  it("is known to every replica at once, and after a restart", async () => {
    if (inject("backend") !== "postgres") return;
    const replica = await RunningPlatform.start(
      { baseUrl: platform.url, authUrl: platform.url },
      { replicaOf: platform },
    );
    const caller = await viewer(platform);
    const there = replica.as(caller.token);
    expect(await codeOf(there)).toBe(0);
    await change(caller.identity, { staticKeys: { subject: "another" } });
    expect([await codeOf(there), await codeOf(caller)]).toEqual([16, 16]);
    await replica.stop();
  });
});

describe("a change during an exchange", () => {
  let issuer: DiscoveredIssuer;
  beforeAll(async () => {
    issuer = await DiscoveredIssuer.start();
  });
  afterAll(() => issuer.stop());

  it.each([
    [
      "changed",
      (platform: RunningPlatform, uid: string) =>
        platform.admin.ok("PATCH", identityPath(uid), { claimMatch: { subject: "another" } }),
    ],
    ["deleted", (platform: RunningPlatform, uid: string) => platform.admin.ok("DELETE", identityPath(uid))],
  ])("leaves no valid API token or refresh token: the identity is %s", async (_, change) => {
    const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    issuer.respond = (request, response) => {
      if (request.url === "/keys") {
        requested.resolve();
        void released.promise.then(() => response.end(JSON.stringify({ keys: issuer.keys })));
      } else response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }));
    };
    const platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
    const claimMatch = { issuer: issuer.url, subject: "workload" };
    const { uid } = await platform.admin.ok("POST", identityPath(platform.root), { name: "a", claimMatch });
    await platform.admin.bind(platform.root, uid, await platform.admin.role("viewer"));
    const exchange = platform.exchange(await issuer.sign({ sub: "workload" }), uid);
    await requested.promise;
    await change(platform, uid);
    released.resolve();
    const { status, body } = await exchange;
    expect(status).not.toBe(200);
    expect(body.token).toBeUndefined();
    await platform.stop();
  });
});
