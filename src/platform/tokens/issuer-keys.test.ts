import { describe, expect, it } from "vitest";
import { FetchError } from "./fetch-document.ts";
import { IssuerKeys } from "./issuer-keys.ts";

const issuer = "https://issuer.example.com";

/** An issuer whose documents a test can change, with a log of what was fetched. */
function setUp(trusted: ConstructorParameters<typeof IssuerKeys>[0] = []) {
  const documents = new Map<string, string>([
    [`${issuer}/.well-known/openid-configuration`, JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` })],
    [`${issuer}/keys`, JSON.stringify({ keys: [{ kty: "EC", kid: "1" }] })],
  ]);
  const fetched: string[] = [];
  const time = { now: 1_000_000 };
  const keys = new IssuerKeys(
    trusted,
    () => time.now,
    async (url, { privateAddresses }) => {
      fetched.push(privateAddresses ? `private ${url}` : url);
      const document = documents.get(url);
      if (document === undefined) throw new FetchError("is unreachable", true);
      return document;
    },
  );
  return { documents, fetched, time, keys };
}

describe("IssuerKeys", () => {
  it("discovers once and caches the keys", async () => {
    const { keys, fetched, time } = setUp();
    expect(await Promise.all([keys.of(issuer, "1"), keys.of(issuer, "1")])).toMatchObject([
      [{ kid: "1" }],
      [{ kid: "1" }],
    ]);
    expect(fetched).toHaveLength(2);
    time.now += 11 * 60_000;
    await keys.of(issuer, "1");
    expect(fetched).toHaveLength(4);
  });

  it("fetches again for an unknown key id, at most once per interval", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    await expect(keys.of(issuer, "2")).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(2);
    time.now += 31_000;
    documents.set(`${issuer}/keys`, JSON.stringify({ keys: [{ kty: "EC", kid: "2" }] }));
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "2" }]);
    for (let again = 0; again < 5; again++)
      await expect(keys.of(issuer, "3")).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(4);
  });

  it("returns the keys of a request that an unknown key id caused, even if it is not among them", async () => {
    const { keys, time } = setUp();
    await keys.of(issuer, "1");
    time.now += 31_000;
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "1" }]);
  });

  it("reports a key that was added during the pause as a temporary failure, and finds it afterwards", async () => {
    const { keys, time, documents } = setUp();
    await keys.of(issuer, "1");
    documents.set(
      `${issuer}/keys`,
      JSON.stringify({
        keys: [
          { kty: "EC", kid: "1" },
          { kty: "EC", kid: "2" },
        ],
      }),
    );
    time.now += 29_000;
    await expect(keys.of(issuer, "2")).rejects.toThrowError("was asked for its keys less than 30 s ago");
    expect(await keys.of(issuer, "1")).toMatchObject([{ kid: "1" }]);
    time.now += 2_000;
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "1" }, { kid: "2" }]);
  });

  it("makes one request for concurrent calls with an unknown key id", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    time.now += 31_000;
    documents.set(`${issuer}/keys`, JSON.stringify({ keys: [{ kty: "EC", kid: "2" }] }));
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => keys.of(issuer, n === 0 ? "x" : "2")));
    expect(fetched).toHaveLength(4);
    for (const result of results) expect(result).toMatchObject([{ kid: "2" }]);
  });

  it("keeps cached keys if the issuer does not respond to a request for an unknown key id", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    time.now += 31_000;
    documents.clear();
    await expect(keys.of(issuer, "2")).rejects.toMatchObject({ transient: true });
    expect(await keys.of(issuer, "1")).toMatchObject([{ kid: "1" }]);
    await expect(keys.of(issuer, "2")).rejects.toMatchObject({ transient: true });
    expect(fetched).toHaveLength(3);
  });

  it("caches a failure for a short time", async () => {
    const { keys, fetched, time, documents } = setUp();
    documents.clear();
    for (let again = 0; again < 3; again++) await expect(keys.of(issuer, "1")).rejects.toThrowError("is unreachable");
    expect(fetched).toHaveLength(1);
    time.now += 6_000;
    await expect(keys.of(issuer, "1")).rejects.toThrowError("is unreachable");
    expect(fetched).toHaveLength(2);
  });

  it.each([
    [{ issuer: "https://evil.example.com", jwks_uri: `${issuer}/keys` }, "of another issuer"],
    [{ issuer }, "without jwks_uri"],
    ["not JSON", "that is not JSON"],
    [null, "of another issuer"],
  ])("rejects the discovery document %j", async (document, message) => {
    const { keys, documents } = setUp();
    const text = typeof document === "string" ? document : JSON.stringify(document);
    documents.set(`${issuer}/.well-known/openid-configuration`, text);
    await expect(keys.of(issuer, "1")).rejects.toThrowError(message);
  });

  it("allows a trusted issuer a private address and a configured JWKS URL", async () => {
    const { keys, fetched, documents } = setUp([{ issuer, ca: undefined, jwksUrl: "https://10.0.0.1/keys" }]);
    documents.set(
      "https://10.0.0.1/keys",
      JSON.stringify({
        keys: [
          { kty: "EC", kid: "9" },
          { kty: "oct", k: "x" },
        ],
      }),
    );
    expect(await keys.of(issuer, "9")).toEqual([{ kty: "EC", kid: "9" }]);
    expect(fetched).toEqual(["private https://10.0.0.1/keys"]);
  });
});
