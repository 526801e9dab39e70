import { generateKeyPairSync } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { FetchError, type FetchOptions, RefusedFetchError } from "./fetch-document.ts";
import type { KeySet } from "./key-set.ts";
import { IssuerKeys, type IssuerKeysOptions } from "./issuer-keys.ts";

const issuer = "https://issuer.example.com";
const root = "a".repeat(40);

const members = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
const key = (kid: string) => ({ ...members, kid });
const idsIn = (keys: KeySet) => ["1", "2", "3", "x"].filter((id) => keys.has(id));
const jwks = (...ids: readonly string[]) => JSON.stringify({ keys: ids.map(key) });

/** An issuer whose documents a test can change, with a log of what was fetched. */
function setUp(trusted: IssuerKeysOptions["trusted"] = [], check: (shares: FetchOptions["shares"]) => void = () => {}) {
  const documents = new Map<string, string>([
    [`${issuer}/.well-known/openid-configuration`, JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })],
    [`${issuer}/keys`, jwks("1")],
  ]);
  const fetched: string[] = [];
  const time = { now: 1_000_000 };
  const keys = new IssuerKeys({
    trusted,
    clock: () => time.now,
    maximumRequests: 16,
    fetch: async (url, { privateAddresses, shares }) => {
      check(shares);
      fetched.push(privateAddresses ? `private ${url}` : url);
      const document = documents.get(url);
      if (document === undefined) throw new FetchError("is unreachable", true);
      return document;
    },
  });
  return { documents, fetched, time, keys };
}

describe("IssuerKeys", () => {
  it("discovers once and caches the keys", async () => {
    const { keys, fetched, time } = setUp();
    const both = await Promise.all([keys.of(issuer, "1", root), keys.of(issuer, "1", root)]);
    for (const found of both) expect(idsIn(found)).toEqual(["1"]);
    expect(fetched).toHaveLength(2);
    time.now += 11 * 60_000;
    await keys.of(issuer, "1", root);
    expect(fetched).toHaveLength(4);
  });

  it("uses known keys for an hour while the issuer is unavailable, and not once it responds without them", async () => {
    const { keys, documents, fetched, time } = setUp();
    await keys.of(issuer, "1", root);
    const configuration = `${issuer}/.well-known/openid-configuration`;
    const discovery = documents.get(configuration) ?? "";
    documents.delete(configuration);
    for (const age of [10, 30, 59]) {
      time.now = 1_000_000 + age * 60_000;
      expect(idsIn(await keys.of(issuer, "1", root))).toEqual(["1"]);
    }
    expect(fetched).toHaveLength(5);
    time.now = 1_000_000 + 60 * 60_000;
    await expect(keys.of(issuer, "1", root)).rejects.toThrowError("is unreachable");
    documents.set(configuration, discovery);
    time.now += 6_000;
    expect(idsIn(await keys.of(issuer, "1", root))).toEqual(["1"]);
    documents.set(`${issuer}/keys`, jwks());
    time.now += 10 * 60_000;
    await expect(keys.of(issuer, "1", root)).rejects.toThrowError("no valid JWKS document");
    documents.clear();
    time.now += 60_000;
    await expect(keys.of(issuer, "1", root)).rejects.toThrowError("is unreachable");
  });

  it("does not use a key for more than ten minutes that the issuer withdrew", async () => {
    const { keys, documents, time } = setUp();
    await keys.of(issuer, "1", root);
    documents.set(`${issuer}/keys`, jwks("2"));
    time.now += 10 * 60_000;
    expect(idsIn(await keys.of(issuer, undefined, root))).toEqual(["2"]);
  });

  it("begins a few requests in each turn of the event loop", async () => {
    let [turn, fetched] = [0, 0];
    const begunIn = new Map<number, number>();
    const keys = new IssuerKeys({
      trusted: [],
      clock: () => 1_000_000,
      maximumRequests: 100,
      fetch: async (url) => {
        fetched++;
        begunIn.set(turn, (begunIn.get(turn) ?? 0) + 1);
        // As long as the beginning of a TLS handshake.
        for (const end = performance.now() + 2; performance.now() < end; );
        const of = new URL(url).origin;
        return url.endsWith("/keys") ? jwks("1") : JSON.stringify({ issuer: of, jwks_uri: `${of}/keys` });
      },
    });
    const over = new AbortController();
    const all = Promise.all(
      Array.from({ length: 40 }, (_, n) => keys.of(`https://issuer-${n}.example.com`, "1", root)),
    );
    void all.finally(() => over.abort());
    for (; !over.signal.aborted; turn++) await nextTurn();
    await all;
    expect(fetched).toBe(80);
    expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(4);
  });

  it("fetches again for an unknown key id, at most once per interval", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1", root);
    await expect(keys.of(issuer, "2", root)).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(2);
    time.now += 31_000;
    documents.set(`${issuer}/keys`, jwks("2"));
    expect(idsIn(await keys.of(issuer, "2", root))).toEqual(["2"]);
    for (let again = 0; again < 5; again++)
      await expect(keys.of(issuer, "3", root)).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(4);
  });

  it("returns the keys of a request that an unknown key id caused, even if it is not among them", async () => {
    const { keys, time } = setUp();
    await keys.of(issuer, "1", root);
    time.now += 31_000;
    expect(idsIn(await keys.of(issuer, "2", root))).toEqual(["1"]);
  });

  it("reports a key that was added during the pause as a temporary failure, and finds it afterwards", async () => {
    const { keys, time, documents } = setUp();
    await keys.of(issuer, "1", root);
    documents.set(`${issuer}/keys`, jwks("1", "2"));
    time.now += 29_000;
    await expect(keys.of(issuer, "2", root)).rejects.toThrowError("was asked for its keys less than 30 s ago");
    expect(idsIn(await keys.of(issuer, "1", root))).toEqual(["1"]);
    time.now += 2_000;
    expect(idsIn(await keys.of(issuer, "2", root))).toEqual(["1", "2"]);
  });

  it("makes one request for concurrent calls with an unknown key id", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1", root);
    time.now += 31_000;
    documents.set(`${issuer}/keys`, jwks("2"));
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => keys.of(issuer, n === 0 ? "x" : "2", root)));
    expect(fetched).toHaveLength(4);
    for (const result of results) expect(idsIn(result)).toEqual(["2"]);
  });

  it("keeps cached keys if the issuer does not respond to a request for an unknown key id", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1", root);
    time.now += 31_000;
    documents.clear();
    await expect(keys.of(issuer, "2", root)).rejects.toMatchObject({ transient: true });
    expect(idsIn(await keys.of(issuer, "1", root))).toEqual(["1"]);
    await expect(keys.of(issuer, "2", root)).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(3);
  });

  it("caches a failure for a short time", async () => {
    const { keys, fetched, time, documents } = setUp();
    documents.clear();
    for (let again = 0; again < 3; again++)
      await expect(keys.of(issuer, "1", root)).rejects.toThrowError("is unreachable");
    expect(fetched).toHaveLength(1);
    time.now += 6_000;
    await expect(keys.of(issuer, "1", root)).rejects.toThrowError("is unreachable");
    expect(fetched).toHaveLength(2);
  });

  it("asks an issuer for others at once whose keys a tenant without a share could not fetch", async () => {
    const tenant = "b".repeat(40);
    const { keys } = setUp([], (shares) => {
      if (shares.some(({ key: of }) => of.includes(tenant))) throw new RefusedFetchError("cannot be asked");
    });
    const refused = keys.of(issuer, "1", tenant);
    const waiting = keys.of(issuer, "1", root);
    await expect(refused).rejects.toThrowError("cannot be asked; retry later");
    expect(idsIn(await waiting)).toEqual(["1"]);
    // The tenant may use them, too, once they are known.
    expect(idsIn(await keys.of(issuer, "1", tenant))).toEqual(["1"]);
  });

  it.each([
    [{ issuer: "https://evil.example.com", jwks_uri: `${issuer}/keys` }, "of another issuer"],
    [{ issuer, evil: true }, "without jwks_uri"],
    ["evil", "that is not JSON"],
    [null, "of another issuer"],
  ])("rejects the discovery document %j", async (document, message) => {
    const { keys, documents } = setUp();
    const text = typeof document === "string" ? document : JSON.stringify(document);
    documents.set(`${issuer}/.well-known/openid-configuration`, text);
    await expect(keys.of(issuer, "1", root)).rejects.toMatchObject({
      message: `has a discovery document ${message}`,
      transient: false,
    });
  });

  it.each([
    ["not a JWKS document", ["evil"]],
    ["symmetric", { keys: [{ kty: "oct", k: "evil", kid: "1" }] }],
  ])("rejects keys that are %s", async (_, document) => {
    const { keys, documents } = setUp();
    documents.set(`${issuer}/keys`, JSON.stringify(document));
    await expect(keys.of(issuer, "1", root)).rejects.toMatchObject({
      message: "has no valid JWKS document with public keys",
      transient: false,
    });
  });

  it("allows a trusted issuer a private address and a configured JWKS URL", async () => {
    const { keys, fetched, documents } = setUp([{ issuer, ca: undefined, jwksUrl: "https://10.0.0.1/keys" }]);
    documents.set(
      "https://10.0.0.1/keys",
      JSON.stringify({
        keys: [key("9"), { kty: "oct", k: "x" }],
      }),
    );
    const found = await keys.of(issuer, "9", root);
    expect([found.size, found.has("9")]).toEqual([1, true]);
    expect(fetched).toEqual(["private https://10.0.0.1/keys"]);
  });

  it("asks a bounded number of issuers at a time, of which one root group leaves some to others", async () => {
    const pending: (() => void)[] = [];
    const keys = new IssuerKeys({
      trusted: [],
      clock: () => 1_000_000,
      maximumRequests: 16,
      fetch: () => new Promise((_, reject) => pending.push(() => reject(new FetchError("is unreachable", true)))),
    });
    const ask = (tenant: number, number: number) =>
      keys.of(`https://${number}.tenant${tenant}.example.com`, undefined, String(tenant)).then(
        () => "found",
        ({ message }: Error) => message,
      );
    const tooMany = expect.stringContaining("too many issuers are being asked");
    const hanging = Array.from({ length: 13 }, (_, number) => ask(1, number));
    expect(await ask(1, 13)).toEqual(tooMany);
    // Calls for an issuer that is being asked need no further request.
    hanging.push(ask(1, 1));
    for (let tenant = 2; tenant <= 4; tenant++) hanging.push(ask(tenant, 1));
    // Requests begin in turns of the event loop.
    await vi.waitFor(() => expect(pending).toHaveLength(16));
    expect(await ask(5, 1)).toEqual(tooMany);
    for (const reject of pending) reject();
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(["is unreachable"]));
    void ask(1, 13);
    await vi.waitFor(() => expect(pending).toHaveLength(17));
  });

  it("keeps a bounded number of bytes of keys, and only the members that it uses", async () => {
    const padded = JSON.stringify({
      keys: [{ ...key("1"), x5c: ["p".repeat(200_000)], padding: Array.from({ length: 10_000 }, () => []) }],
    });
    const keys = new IssuerKeys({
      trusted: [],
      clock: () => 1_000_000,
      maximumRequests: 16,
      fetch: async (url) =>
        url.endsWith("/keys")
          ? padded
          : JSON.stringify({ issuer: new URL(url).origin, jwks_uri: `${new URL(url).origin}/keys` }),
    });
    for (let number = 0; number < 44; number++) await keys.of(`https://${number}.example.com`, "1", root);
    expect(keys.cachedBytes).toBeLessThan(44 * 10_000);

    const large = JSON.stringify({ keys: Array.from({ length: 100 }, (_, n) => key(String(n).padEnd(1_000, "k"))) });
    const many = new IssuerKeys({
      trusted: [],
      clock: () => 1_000_000,
      maximumRequests: 16,
      fetch: async (url) =>
        url.endsWith("/keys")
          ? large
          : JSON.stringify({ issuer: new URL(url).origin, jwks_uri: `${new URL(url).origin}/keys` }),
    });
    for (let number = 0; number < 40; number++) await many.of(`https://${number}.example.com`, undefined, root);
    expect(many.cachedBytes).toBeGreaterThan(8 * 1024 * 1024);
    expect(many.cachedBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  });
});
