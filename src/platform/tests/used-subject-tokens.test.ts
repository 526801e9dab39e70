import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscoveredIssuer } from "./discovered-issuer.testing.ts";
import { RunningPlatform } from "./running-platform.testing.ts";

// A signature is verified once, but a token that was used is not trusted for that: all else decides each time.

let platform: RunningPlatform;
let issuer: DiscoveredIssuer;
beforeEach(async () => {
  issuer = await DiscoveredIssuer.start();
  platform = await RunningPlatform.start({ trustedIssuers: [issuer.trusted] });
});
afterEach(async () => {
  await platform.stop();
  issuer.stop();
});

const pathOf = (uid: string) => `/iam/v2beta1/identities/${uid}`;
const change = (uid: string, body: object) => platform.admin.ok("PATCH", pathOf(uid), body);
const codeOf = async (token: string, identity: string, at = platform) => {
  const { status, body } = await at
    .as(token)
    .get(`/sts/exchange?aud=${encodeURIComponent(platform.url)}&identity=${identity}`);
  return status === 200 ? 0 : body["code"];
};

function newKey(kid: string): object {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256" };
}

describe("a used subject token of an identity with static keys", () => {
  let uid: string;
  let token: string;
  beforeEach(async () => {
    uid = await platform.makeIdentity(platform.root);
    token = await platform.subjectToken(uid);
    for (let time = 0; time < 2; time += 1) expect(await codeOf(token, uid)).toBe(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      "the key that signed it is replaced by another one with its id",
      () => change(uid, { staticKeys: { issuerKeys: JSON.stringify({ keys: [newKey("1")] }) } }),
    ],
    ["the subject is another one", () => change(uid, { staticKeys: { subject: "another" } })],
    ["the issuer is another one", () => change(uid, { staticKeys: { issuer: "https://another.example.com" } })],
    ["the audience is another one", () => change(uid, { staticKeys: { audiences: ["another"] } })],
    [
      "the identity is assumed with claims",
      () => change(uid, { claimMatch: { issuer: issuer.url, subject: "caller" } }),
    ],
    ["the identity is deleted", () => platform.admin.ok("DELETE", pathOf(uid))],
  ])("is rejected once %s", async (_, end) => {
    await end();
    expect(await codeOf(token, uid)).toBe(7);
  });

  it("is rejected once the identity's keys have expired", async () => {
    const expirationTime = new Date(platform.now + 60_000).toISOString();
    const short = await platform.makeIdentity(platform.root);
    const used = await platform.subjectToken(short);
    await change(short, { staticKeys: { expirationTime } });
    expect(await codeOf(used, short)).toBe(0);
    platform.advance(61_000);
    expect(await codeOf(used, short)).toBe(7);
  });

  it("is rejected once it has expired", async () => {
    platform.advance(600_000);
    expect(await codeOf(token, uid)).toBe(7);
  });

  it("is rejected for another identity with other keys for the same issuer and subject, also the next time", async () => {
    const other = await platform.makeIdentity(platform.root);
    for (let time = 0; time < 2; time += 1) expect(await codeOf(token, other)).toBe(7);
    expect(await codeOf(token, uid)).toBe(0);
  });

  it("is rejected by every replica at once when its key is removed", async () => {
    const replica = await RunningPlatform.start(
      { baseUrl: platform.url, authUrl: platform.url },
      { replicaOf: platform },
    );
    const there = () => codeOf(token, uid, replica);
    expect([await there(), await there()]).toEqual([0, 0]);
    await change(uid, { staticKeys: { issuerKeys: JSON.stringify({ keys: [newKey("1")] }) } });
    expect([await there(), await codeOf(token, uid)]).toEqual([7, 7]);
    await replica.stop();
  });
});

describe("a used subject token of an issuer with discovery", () => {
  const identityOf = async (claimMatch: object): Promise<string> =>
    (await platform.admin.ok("POST", `/iam/v2beta1/identities/${platform.root}`, { name: "a", claimMatch })).uid;

  it("is rejected as soon as the platform knows that the issuer has withdrawn its key", async () => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    const token = await issuer.sign({ sub: "s" });
    for (let time = 0; time < 2; time += 1) expect(await codeOf(token, uid)).toBe(0);
    const before = issuer.keys;
    issuer.keys = [newKey("another")];
    // A key that is not known makes the platform fetch the keys again.
    platform.advance(31_000);
    await codeOf(await issuer.sign({ sub: "s" }, { kid: "unknown" }), uid);
    // The issuer may have rotated its keys since it was asked.
    expect(await codeOf(token, uid)).toBe(14);
    platform.advance(31_000);
    expect(await codeOf(token, uid)).toBe(7);
    // And one that has the same id does not stand in for it.
    issuer.keys = [newKey("k")];
    platform.advance(31_000);
    expect(await codeOf(token, uid)).toBe(7);
    issuer.keys = before;
    platform.advance(31_000);
    await codeOf(await issuer.sign({ sub: "s" }, { kid: "unknown" }), uid);
    expect(await codeOf(token, uid)).toBe(0);
  });

  it.each<[string, object]>([
    ["a pattern of the subject", { subjectPattern: "t.*" }],
    ["a claim", { subject: "s", claims: { team: "b" } }],
    ["a pattern of a claim", { subject: "s", claimPatterns: { team: "b.*" } }],
  ])("is matched with %s that is new", async (_, claimMatch) => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    const token = await issuer.sign({ sub: "s", team: "a" });
    for (let time = 0; time < 2; time += 1) expect(await codeOf(token, uid)).toBe(0);
    await change(uid, { claimMatch: { ...claimMatch, issuer: issuer.url } });
    expect(await codeOf(token, uid)).toBe(7);
  });

  it("is rejected with another signature", async () => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    const token = await issuer.sign({ sub: "s" });
    expect(await codeOf(token, uid)).toBe(0);
    const end = token.lastIndexOf(".") + 1;
    const changed = token.slice(0, end) + (token[end] === "A" ? "B" : "A") + token.slice(end + 1);
    expect(await codeOf(changed, uid)).toBe(7);
  });

  it("is rejected by a platform that does not trust the issuer any more", async () => {
    const uid = await identityOf({ issuer: issuer.url, subject: "s" });
    const token = await issuer.sign({ sub: "s" });
    for (let time = 0; time < 2; time += 1) expect(await codeOf(token, uid)).toBe(0);
    const later = await RunningPlatform.start(
      { baseUrl: platform.url, authUrl: platform.url },
      { replicaOf: platform },
    );
    expect(await codeOf(token, uid, later)).toBe(14);
    await later.stop();
  });
});
