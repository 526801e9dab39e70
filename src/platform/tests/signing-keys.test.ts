import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.ts";

const hour = 3_600_000;
const minute = 60_000;
let platform: RunningPlatform;
let identity: string;
beforeEach(async () => {
  platform = await RunningPlatform.start({}, { signingKeyInterval: 24 * hour });
  identity = await platform.makeIdentity(platform.root);
});
afterEach(() => platform.stop());

async function token(): Promise<string> {
  const answer = await platform.exchange(await platform.incomingToken(identity, times(platform)), identity);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.token;
}

/** As the platform's clock has it, which the test moves. */
function times({ now }: RunningPlatform) {
  return { iat: Math.floor(now / 1_000), exp: Math.floor(now / 1_000) + 600 };
}

const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid ?? "";
const works = async (jwt: string, at = platform) => (await at.as(jwt).get("/iam/v2beta1/groups")).status === 200;
const published = async (from = platform) =>
  (await from.as(undefined).ok("GET", "/.well-known/jwks.json")) as unknown as JSONWebKeySet;
const kids = async (from = platform) => (await published(from)).keys.map(({ kid }) => kid);

describe("the keys that sign API tokens", () => {
  it("A new signing key is published before it is used, and an old one kept until its last token has expired", async () => {
    const old = kidOf(await token());
    expect(await kids()).toEqual([old]);

    platform.advance(24 * hour);
    const announced = await kids();
    expect(announced).toHaveLength(2);
    // Whoever takes the keys now can check every token until the one after the next key.
    const early = createLocalJWKSet(await published());
    platform.advance(59 * minute);
    const lastOfOld = await token();
    expect(kidOf(lastOfOld)).toBe(old);

    platform.advance(2 * minute);
    const firstOfNew = await token();
    expect(kidOf(firstOfNew)).toBe(announced[1]);
    await jwtVerify(firstOfNew, early, { currentDate: new Date(platform.now) });
    expect([await works(lastOfOld), await works(firstOfNew)]).toEqual([true, true]);

    platform.advance(56 * minute);
    expect([await works(lastOfOld), await works(firstOfNew)]).toEqual([true, true]);
    expect(await kids()).toEqual(announced);
    platform.advance(10 * minute);
    expect(await kids()).toEqual([announced[1]]);
    expect(await works(await token())).toBe(true);
  });

  it("many rotations leave no gap: every token works for its hour", { timeout: 30_000 }, async () => {
    const seen = new Set<string>();
    let before = await token();
    for (let step = 0; step < 100; step++) {
      platform.advance(37 * minute);
      expect(await works(before), `after ${step} steps`).toBe(true);
      before = await token();
      seen.add(kidOf(before));
      expect((await kids()).length).toBeLessThanOrEqual(2);
    }
    expect(seen.size).toBe(3);
  });

  it("are shared by replicas, which make one between them and take each other's tokens at once", async () => {
    const addresses = { baseUrl: platform.url, authUrl: platform.url };
    const other = await RunningPlatform.start(addresses, { replicaOf: platform, signingKeyInterval: 24 * hour });
    for (const replica of [platform, other]) replica.advance(24 * hour + minute);
    const [ours, theirs] = await Promise.all([kids(platform), kids(other)]);
    expect(ours).toEqual(theirs);
    expect(ours).toHaveLength(2);

    // One has not looked since the other made a key and began to use it.
    platform.advance(24 * hour);
    await kids();
    platform.advance(61 * minute);
    other.advance(25 * hour + minute);
    const jwt = await token();
    expect(ours).not.toContain(kidOf(jwt));
    expect(await works(jwt, other)).toBe(true);
    const exchanged = await other
      .as(await platform.incomingToken(identity, times(other)))
      .get(`/sts/exchange?aud=${platform.url}&identity=${identity}`);
    expect(kidOf(exchanged.body.token)).toBe(kidOf(jwt));
    await other.stop();
  });

  it("stay in use while the store cannot be written, and are replaced soon after", async () => {
    const jwt = await token();
    platform.advance(24 * hour);
    const other = await platform.openStore();
    const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = other.write(() => {
      holding.resolve();
      return released.promise;
    });
    await holding.promise;
    expect(await kids()).toEqual([kidOf(jwt)]);
    released.resolve();
    await held;
    await other.close();
    platform.advance(6_000);
    expect(await kids()).toHaveLength(2);
  });
});
