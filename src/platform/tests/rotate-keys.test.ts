import { randomBytes } from "node:crypto";
import { decodeProtectedHeader } from "jose";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rotateKeyFile } from "../rotate-key-file.ts";
import type { Database } from "../store/database.ts";
import { MasterKey } from "../tokens/master-key.ts";
import { rotateSigningKey } from "../rotate-signing-key.ts";
import { openSealedKeys } from "../tokens/signing-keys.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

const hour = 3_600_000;
const minute = 60_000;
const lines: { readonly msg: string; readonly kid?: string }[] = [];
let platform: RunningPlatform;
let database: Database;
let identity: string;
beforeEach(async () => {
  lines.length = 0;
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  platform = await RunningPlatform.start({}, { signingKeyInterval: 24 * hour, log });
  database = await platform.openDatabase();
  identity = await platform.makeIdentity(platform.root);
});
afterEach(async () => {
  await database.close();
  await platform.stop();
});

async function token(): Promise<string> {
  const iat = Math.floor(platform.now / 1_000);
  const response = await platform.exchange(await platform.subjectToken(identity, { iat, exp: iat + 600 }), identity);
  expect(response.status, response.text).toBe(200);
  return response.body.token;
}
const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid ?? "";
const isValid = async (jwt: string) => (await platform.as(jwt).get("/iam/v2beta1/groups")).status === 200;
const published = async () => {
  const { keys } = await platform.as(undefined).ok("GET", "/.well-known/jwks.json");
  return (keys as readonly { readonly kid: string }[]).map(({ kid }) => kid);
};

describe("a signing key on demand", () => {
  it("is published within a minute, signs an hour later, and ends no token", async () => {
    const old = await token();
    const kid = await rotateSigningKey(database, platform.masterKey, { revoke: false, now: platform.now });
    platform.advance(minute);
    expect(await published()).toEqual([kidOf(old), kid]);
    const between = await token();
    expect(kidOf(between)).toBe(kidOf(old));
    platform.advance(59 * minute);
    expect(kidOf(await token())).toBe(kid);
    expect(await isValid(between)).toBe(true);
  });

  it("ends every earlier token within a minute, if the earlier keys are revoked", async () => {
    const old = await token();
    const kid = await rotateSigningKey(database, platform.masterKey, { revoke: true, now: platform.now });
    platform.advance(minute);
    expect(await published()).toEqual([kid]);
    const logged = lines.map(({ msg, kid: key }) => [msg, key]);
    expect(logged).toContainEqual(["signing key published", kid]);
    expect(logged).toContainEqual(["signing key removed", kidOf(old)]);
    expect(await isValid(old)).toBe(false);
    const next = await token();
    expect([kidOf(next), await isValid(next)]).toEqual([kid, true]);
  });

  it("ends a token that was used before, without an exchange or a look at the keys meanwhile", async () => {
    const used = await token();
    expect(await isValid(used)).toBe(true);
    await rotateSigningKey(database, platform.masterKey, { revoke: true, now: platform.now });
    platform.advance(minute);
    expect(await isValid(used)).toBe(false);
  });

  it("ends a token that was never used, without an exchange or a look at the keys meanwhile", async () => {
    const unused = await token();
    await rotateSigningKey(database, platform.masterKey, { revoke: true, now: platform.now });
    platform.advance(minute);
    expect(await isValid(unused)).toBe(false);
  });

  it("is not created with another key file than that of the data", async () => {
    const other = new MasterKey(randomBytes(32));
    await expect(rotateSigningKey(database, other, { revoke: true, now: platform.now })).rejects.toThrow(
      "sealed with another key file: restore that file from its backup, or name it with --key-file",
    );
    expect(await published()).toHaveLength(1);
  });
});

describe("another key file", () => {
  const to = new MasterKey(randomBytes(32));

  it("opens the signing keys and client secrets, and the old one no more", async () => {
    const role = await platform.admin.role("viewer");
    const oidc = { issuer: "https://login.example.com", clientId: "id", clientSecret: "hidden" };
    await platform.admin.ok("POST", `/iam/v2beta1/identityProviders/${platform.root}`, {
      name: "login",
      defaultRole: role,
      oidc,
    });
    const before = await openSealedKeys(database, platform.masterKey);
    const keys = { from: platform.masterKey, to };
    expect(await rotateKeyFile(database, keys, platform.now)).toEqual({ signingKeys: 1, clientSecrets: 1 });
    expect(await openSealedKeys(database, to)).toEqual(before);
    await expect(openSealedKeys(database, platform.masterKey)).rejects.toThrow("sealed with another key file");
    // Repeated, also after the old file is gone.
    const again = { from: new MasterKey(randomBytes(32)), to };
    expect(await rotateKeyFile(database, again, platform.now)).toEqual({ signingKeys: 0, clientSecrets: 0 });
  });

  it("changes nothing if the old key is another one", async () => {
    const keys = { from: new MasterKey(randomBytes(32)), to };
    await expect(rotateKeyFile(database, keys, platform.now)).rejects.toThrow("sealed with another key file");
    expect((await openSealedKeys(database, platform.masterKey)).size).toBe(1);
  });

  it("is not mixed with the old one by a platform that was not stopped", async () => {
    await rotateKeyFile(database, { from: platform.masterKey, to }, platform.now);
    // The next signing key is due.
    platform.advance(25 * hour);
    expect(await published()).toHaveLength(1);
    expect((await openSealedKeys(database, to)).size).toBe(1);
  });
});
