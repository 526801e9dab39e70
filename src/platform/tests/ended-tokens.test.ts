import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { decodeJwt, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { readAuditLog } from "../audit/read-records.ts";
import { type Client, RunningPlatform } from "./running-platform.testing.ts";
import { selfSignedCertificate } from "./self-signed.testing.ts";

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

const day = 24 * 3_600_000;

describe("a change of how an identity is assumed", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    platform.freeze();
  });
  afterAll(() => platform.stop());

  const change = (uid: string, body: object) => platform.admin.ok("PATCH", identityPath(uid), body);

  it.each<[string, (uid: string) => Promise<object> | object]>([
    ["another subject", () => ({ staticKeys: { subject: "another" } })],
    ["another issuer", () => ({ staticKeys: { issuer: "https://other.example.com" } })],
    ["another audience", () => ({ staticKeys: { audiences: ["other"] } })],
    ["another key", () => ({ staticKeys: { issuerKeys: JSON.stringify({ keys: [otherKey("1")] }) } })],
    [
      "an earlier expiry of its keys",
      () => ({ staticKeys: { expirationTime: new Date(platform.now + day).toISOString() } }),
    ],
    ["claims instead of keys", () => ({ claimMatch: { issuer: "https://issuer.example.com", subject: "caller" } })],
    [
      "an AWS identity instead of keys",
      () => ({ awsIdentity: { awsAccount: "123456789012", arnPattern: ".*", userIdPattern: ".*" } }),
    ],
  ])("ends the tokens that were issued before it in the same second: %s", async (_, body) => {
    const caller = await viewer(platform);
    expect(await codeOf(caller)).toBe(0);
    await change(caller.identity, await body(caller.identity));
    expect(await codeOf(caller)).toBe(16);
    expect((await caller.get("/iam/v1/groups")).body).toMatchObject({ code: 16 });
    expect((await caller.post(`${groups}/${platform.root}`, { name: "late" })).body).toMatchObject({ code: 16 });
    expect((await refresh(platform, caller.refreshToken)).body).toMatchObject({ code: 16 });
  });

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

  it.each<[string, (uid: string) => Promise<object> | object]>([
    ["a new name and description", () => ({ name: "renamed", description: "d" })],
    ["the keys that it has", async (uid) => ({ staticKeys: { issuerKeys: await reformatted(uid) } })],
    [
      "an additional key",
      async (uid) => ({
        staticKeys: { issuerKeys: JSON.stringify({ keys: [otherKey(), ...(await keysOf(platform, uid))] }) },
      }),
    ],
  ])("does not end tokens if it changes nothing or adds to it: %s", async (_, body) => {
    const caller = await viewer(platform);
    await change(caller.identity, await body(caller.identity));
    expect(await codeOf(caller)).toBe(0);
    expect((await refresh(platform, caller.refreshToken)).status).toBe(200);
  });

  async function reformatted(uid: string): Promise<string> {
    const keys = (await keysOf(platform, uid)).map((key) => Object.fromEntries(Object.entries(key).toReversed()));
    return JSON.stringify({ keys }, undefined, 2);
  }

  it("does not end tokens if it extends the expiry of the keys, and ends them if a key is removed", async () => {
    const caller = await viewer(platform);
    const uid = caller.identity;
    await change(uid, { staticKeys: { expirationTime: new Date(platform.now + day).toISOString() } });
    const second = await exchanged(platform, uid);
    await change(uid, { staticKeys: { expirationTime: new Date(platform.now + 2 * day).toISOString() } });
    expect(await codeOf(second)).toBe(0);
    const keys = [...(await keysOf(platform, uid)), otherKey()];
    await change(uid, { staticKeys: { issuerKeys: JSON.stringify({ keys }) } });
    expect(await codeOf(second)).toBe(0);
    await change(uid, { staticKeys: { issuerKeys: JSON.stringify({ keys: keys.slice(1) }) } });
    expect(await codeOf(second)).toBe(16);
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

  it("needs every capability of the identity even if it ends no token, such as an additional key", async () => {
    const target = await platform.makeIdentity(platform.root);
    await platform.admin.bind(platform.root, target, await platform.admin.role("owner"));
    const role = { name: "r", capabilities: ["CAP_IAM_IDENTITY_UPDATE", "CAP_IAM_IDENTITY_LIST"] };
    const { uid: updates } = await platform.admin.ok("POST", `/iam/v2beta1/roles/${platform.root}`, role);
    const identity = await platform.makeIdentity(platform.root);
    await platform.admin.bind(platform.root, identity, updates);
    const caller = await exchanged(platform, identity);
    const keys = [...(await keysOf(platform, target)), otherKey()];
    for (const staticKeys of [
      { issuerKeys: JSON.stringify({ keys }) },
      { expirationTime: new Date(platform.now + 364 * day).toISOString() },
    ])
      expect((await caller.patch(identityPath(target), { staticKeys })).body).toMatchObject({ code: 7 });
    expect((await caller.patch(identityPath(target), { description: "d" })).status).toBe(200);
  });

  it("lets an identity change itself, and ends its own tokens", async () => {
    const identity = await platform.makeIdentity(platform.root);
    await platform.admin.bind(platform.root, identity, await platform.admin.role("owner"));
    const caller = await exchanged(platform, identity);
    expect((await caller.patch(identityPath(identity), { staticKeys: { subject: "another" } })).status).toBe(200);
    expect(await codeOf(caller)).toBe(16);
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

describe("revokeTokens", () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    platform = await RunningPlatform.start();
    platform.freeze();
  });
  afterAll(() => platform.stop());

  const revoke = (caller: Client, uid: string, body?: unknown) =>
    caller.post(`${identityPath(uid)}:revokeTokens`, body);

  it("ends the API tokens and refresh tokens of the identity, which can be assumed again", async () => {
    const [caller, other] = [await viewer(platform), await viewer(platform)];
    expect(await revoke(platform.admin, caller.identity)).toMatchObject({ status: 200, text: "" });
    expect([await codeOf(caller), await codeOf(other)]).toEqual([16, 0]);
    expect((await refresh(platform, caller.refreshToken)).body).toMatchObject({ code: 16 });
    const again = await exchanged(platform, caller.identity);
    expect(await codeOf(again)).toBe(0);
    expect((await revoke(platform.admin, caller.identity, {})).status).toBe(200);
    expect(await codeOf(again)).toBe(16);
  });

  it("needs identity.update: 7 without it, 5 for an identity that the caller cannot see or that does not exist", async () => {
    const caller = await viewer(platform);
    expect((await revoke(caller, caller.identity)).body).toMatchObject({ code: 7 });
    const stranger = await exchanged(platform, await platform.makeIdentity(platform.root));
    expect((await revoke(stranger, caller.identity)).body).toMatchObject({ code: 5 });
    for (const uid of [`${platform.root}/0000000000000000`, platform.root, "nonsense"])
      expect((await revoke(platform.admin, uid)).body).toMatchObject({ code: 5 });
    expect((await revoke(platform.as(undefined), caller.identity)).body).toMatchObject({ code: 16 });
    expect(await codeOf(caller)).toBe(0);
  });

  it("is recorded in the audit log, without a secret, and not served over gRPC", async () => {
    const caller = await viewer(platform);
    await revoke(platform.admin, caller.identity);
    const database = await platform.openDatabase();
    const filter = { resource: caller.identity, actor: "admin" };
    const records = [];
    for await (const record of readAuditLog((work) => database.read(work), filter)) records.push(record);
    await database.close();
    expect(records.at(-1)).toMatchObject({
      action: "revokeTokens",
      type: "identity",
      uid: caller.identity,
      fields: {},
    });
    const method = "/muster.platform.iam.v2beta1.IdentityTokensService/RevokeTokens";
    expect((await platform.admin.post(method, { uid: caller.identity })).status).toBe(501);
  });
});

describe("a change during an exchange", () => {
  const { key, certificate } = selfSignedCertificate();
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let server: Server;
  let issuer: string;
  /** Resolves when the platform requests the issuer's keys. */
  let requested = Promise.withResolvers<void>();
  let released = Promise.withResolvers<void>();

  beforeAll(async () => {
    const keys = JSON.stringify({ keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "k" }] });
    server = createServer({ key, cert: certificate }, (request, response) => {
      if (request.url !== "/keys") return response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
      requested.resolve();
      void released.promise.then(() => response.end(keys));
      return response;
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each([
    [
      "changed",
      (platform: RunningPlatform, uid: string) =>
        platform.admin.ok("PATCH", identityPath(uid), { claimMatch: { subject: "another" } }),
    ],
    ["deleted", (platform: RunningPlatform, uid: string) => platform.admin.ok("DELETE", identityPath(uid))],
  ])("leaves no valid API token or refresh token: the identity is %s", async (_, change) => {
    [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const platform = await RunningPlatform.start({ trustedIssuers: [{ issuer, ca: certificate, jwksUrl: undefined }] });
    const claimMatch = { issuer, subject: "workload" };
    const { uid } = await platform.admin.ok("POST", identityPath(platform.root), { name: "a", claimMatch });
    await platform.admin.bind(platform.root, uid, await platform.admin.role("viewer"));
    const subjectToken = await new SignJWT()
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .setIssuer(issuer)
      .setSubject("workload")
      .setAudience("127.0.0.1")
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(pair.privateKey);
    const exchange = platform.exchange(subjectToken, uid);
    await requested.promise;
    await change(platform, uid);
    released.resolve();
    const { status, body } = await exchange;
    expect(status).not.toBe(200);
    expect(body.token).toBeUndefined();
    await platform.stop();
  });
});
