import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunningPlatform } from "./running-platform.testing.ts";

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
  const response = await platform.exchange(await platform.subjectToken(identity, times(platform)), identity);
  expect(response.status, response.text).toBe(200);
  return response.body.token;
}

/** Times by the platform's clock, which the tests advance. */
function times({ now }: RunningPlatform) {
  return { iat: Math.floor(now / 1_000), exp: Math.floor(now / 1_000) + 600 };
}

const kidOf = (jwt: string) => decodeProtectedHeader(jwt).kid ?? "";
const isValid = async (jwt: string, at = platform) => (await at.as(jwt).get("/iam/v2beta1/groups")).status === 200;
const published = async (from = platform) =>
  (await from.as(undefined).ok("GET", "/.well-known/jwks.json")) as unknown as JSONWebKeySet;
const kids = async (from = platform) => (await published(from)).keys.map(({ kid }) => kid);

describe("signing keys of API tokens", () => {
  it("are published before their use, and kept until their last token has expired", async () => {
    const old = kidOf(await token());
    expect(await kids()).toEqual([old]);

    platform.advance(24 * hour);
    const publishedKeys = await kids();
    expect(publishedKeys).toHaveLength(2);
    // A client that fetches the keys now can verify every token of the current and of the next key.
    const early = createLocalJWKSet(await published());
    platform.advance(59 * minute);
    const lastOfOld = await token();
    expect(kidOf(lastOfOld)).toBe(old);

    platform.advance(2 * minute);
    const firstOfNew = await token();
    expect(kidOf(firstOfNew)).toBe(publishedKeys[1]);
    await jwtVerify(firstOfNew, early, { currentDate: new Date(platform.now) });
    expect([await isValid(lastOfOld), await isValid(firstOfNew)]).toEqual([true, true]);

    platform.advance(56 * minute);
    expect([await isValid(lastOfOld), await isValid(firstOfNew)]).toEqual([true, true]);
    expect(await kids()).toEqual(publishedKeys);
    platform.advance(10 * minute);
    expect(await kids()).toEqual([publishedKeys[1]]);
    expect(await isValid(await token())).toBe(true);
  });

  it("rotate without a gap: every token is valid for its hour", { timeout: 30_000 }, async () => {
    const seen = new Set<string>();
    let before = await token();
    for (let step = 0; step < 100; step++) {
      platform.advance(37 * minute);
      expect(await isValid(before), `after ${step} steps`).toBe(true);
      before = await token();
      seen.add(kidOf(before));
      expect((await kids()).length).toBeLessThanOrEqual(2);
    }
    expect(seen.size).toBe(3);
  });

  it("are shared by replicas, which create one key together and accept each other's tokens at once", async () => {
    const addresses = { baseUrl: platform.url, authUrl: platform.url };
    const other = await RunningPlatform.start(addresses, { replicaOf: platform, signingKeyInterval: 24 * hour });
    for (const replica of [platform, other]) replica.advance(24 * hour + minute);
    const [ours, theirs] = await Promise.all([kids(platform), kids(other)]);
    expect(ours).toEqual(theirs);
    expect(ours).toHaveLength(2);

    // The other replica has not read the keys since this one created and used a new one.
    platform.advance(24 * hour);
    await kids();
    platform.advance(61 * minute);
    other.advance(25 * hour + minute);
    const jwt = await token();
    expect(ours).not.toContain(kidOf(jwt));
    expect(await isValid(jwt, other)).toBe(true);
    const exchanged = await other
      .as(await platform.subjectToken(identity, times(other)))
      .get(`/sts/exchange?aud=${platform.url}&identity=${identity}`);
    expect(kidOf(exchanged.body.token)).toBe(kidOf(jwt));
    await other.stop();
  });

  it("rotate without downtime: tokens of either replica from before, during and after are valid on both", async () => {
    const addresses = { baseUrl: platform.url, authUrl: platform.url };
    const other = await RunningPlatform.start(addresses, { replicaOf: platform, signingKeyInterval: 24 * hour });
    const replicas = [platform, other];
    await platform.admin.bind(platform.root, identity, await platform.admin.role("owner"));
    for (const name of ["one", "two", "three"]) await platform.admin.group(platform.root, name);
    const advanceAll = (milliseconds: number) => replicas.forEach((replica) => replica.advance(milliseconds));
    const exchangedBy = async (replica: RunningPlatform) => {
      const subjectToken = await platform.subjectToken(identity, times(replica));
      return replica.as(subjectToken).ok("GET", `/sts/exchange?aud=${platform.url}&identity=${identity}`);
    };
    const signed = async () => Promise.all(replicas.map(async (replica) => (await exchangedBy(replica)).token));
    const areValid = async (jwts: readonly string[]) => {
      for (const replica of replicas)
        for (const jwt of jwts) expect(await isValid(jwt, replica), `${kidOf(jwt)} on ${replica.url}`).toBe(true);
    };
    const refresh = (replica: RunningPlatform, jwt: unknown) =>
      replica.as(String(jwt)).post("/sts/exchange_refresh_token", {});
    const refreshed = async (replica: RunningPlatform, jwt: unknown) => {
      const response = await refresh(replica, jwt);
      expect(response.status, response.text).toBe(200);
      return response.body as unknown as Readonly<Record<"token" | "refreshToken", { readonly token: string }>>;
    };
    const page = async (replica: RunningPlatform, jwt: string, cursor = "") =>
      replica.as(jwt).ok("GET", `/iam/v2beta1/groups?page_size=1&page_token=${cursor}`);

    advanceAll(24 * hour);
    const [oldKey, newKey] = await kids(other);
    expect(await kids(platform)).toEqual([oldKey, newKey]);
    advanceAll(30 * minute);
    const before = await signed();
    expect(before.map(kidOf)).toEqual([oldKey, oldKey]);
    await areValid(before);
    const first = (await exchangedBy(platform))["refreshToken"];
    const firstPage = await page(platform, before[0] ?? "");

    // The clock of one replica is ahead: it uses the new key, and the other does not yet.
    advanceAll(29 * minute);
    platform.advance(2 * minute);
    const meanwhile = await signed();
    expect(meanwhile.map(kidOf)).toEqual([newKey, oldKey]);
    await areValid([...before, ...meanwhile]);
    const second = await refreshed(other, first);
    const secondPage = await page(other, meanwhile[1] ?? "", firstPage.nextPageToken);

    other.advance(2 * minute);
    advanceAll(26 * minute);
    const after = await signed();
    expect(after.map(kidOf)).toEqual([newKey, newKey]);
    await areValid([...before, ...meanwhile, ...after, second.token.token]);
    // The old key's last token has expired: the key is removed.
    advanceAll(39 * minute);
    for (const replica of replicas) expect(await kids(replica)).toEqual([newKey]);
    await areValid([...after, ...(await signed())]);
    const third = await refreshed(platform, second.refreshToken.token);
    await areValid([third.token.token]);
    const thirdPage = await page(platform, third.token.token, secondPage.nextPageToken);
    const seen = [firstPage, secondPage, thirdPage].flatMap(({ groups }) => groups.map(({ uid }) => uid));
    expect(new Set(seen).size).toBe(3);

    // Reuse of a refresh token on the other replica ends the family on both.
    expect((await refresh(other, second.refreshToken.token)).body).toMatchObject({ code: 7 });
    for (const replica of replicas)
      expect((await refresh(replica, third.refreshToken.token)).body).toMatchObject({ code: 16 });
    await other.stop();
  });

  it("stay in use while the database cannot be written, and rotate soon after", async () => {
    const options = { signingKeyInterval: 24 * hour, stallTimeout: 250 };
    const replica = await RunningPlatform.start({}, { replicaOf: platform, ...options });
    const old = await kids(replica);
    replica.advance(24 * hour);
    const other = await replica.openDatabase();
    const [holding, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const blocked = other.write(() => {
      holding.resolve();
      return released.promise;
    });
    await holding.promise;
    expect(await kids(replica)).toEqual(old);
    released.resolve();
    await blocked;
    await other.close();
    replica.advance(6_000);
    expect(await kids(replica)).toHaveLength(2);
    await replica.stop();
  });
});
