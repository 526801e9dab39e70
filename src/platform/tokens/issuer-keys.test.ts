import { describe, expect, it } from "vitest";
import { FetchError } from "./fetch-document.ts";
import { IssuerKeys } from "./issuer-keys.ts";

const issuer = "https://issuer.example.com";

/** An issuer whose documents a test may change, with a count of what was fetched. */
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
      if (document === undefined) throw new FetchError("cannot be reached", true);
      return document;
    },
  );
  return { documents, fetched, time, keys };
}

describe("IssuerKeys", () => {
  it("discovers once and remembers", async () => {
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

  it("an unknown key id makes one new request, and no more than one in a while", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    await keys.of(issuer, "2");
    expect(fetched).toHaveLength(2);
    time.now += 31_000;
    documents.set(`${issuer}/keys`, JSON.stringify({ keys: [{ kty: "EC", kid: "2" }] }));
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "2" }]);
    for (let again = 0; again < 5; again++) await keys.of(issuer, "3");
    expect(fetched).toHaveLength(4);
  });

  it("many calls with an unknown key id at once make one request, and all get what it brings", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    time.now += 31_000;
    documents.set(`${issuer}/keys`, JSON.stringify({ keys: [{ kty: "EC", kid: "2" }] }));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => keys.of(issuer, n === 0 ? "x" : "2")));
    expect(fetched).toHaveLength(4);
    for (const answer of answers) expect(answer).toMatchObject([{ kid: "2" }]);
  });

  it("an unknown key id takes no known key away, also where the issuer does not answer", async () => {
    const { keys, fetched, time, documents } = setUp();
    await keys.of(issuer, "1");
    time.now += 31_000;
    documents.clear();
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "1" }]);
    expect(await keys.of(issuer, "1")).toMatchObject([{ kid: "1" }]);
    expect(await keys.of(issuer, "2")).toMatchObject([{ kid: "1" }]);
    expect(fetched).toHaveLength(3);
  });

  it("remembers a failure for a short while", async () => {
    const { keys, fetched, time, documents } = setUp();
    documents.clear();
    for (let again = 0; again < 3; again++)
      await expect(keys.of(issuer, "1")).rejects.toThrowError("cannot be reached");
    expect(fetched).toHaveLength(1);
    time.now += 6_000;
    await expect(keys.of(issuer, "1")).rejects.toThrowError("cannot be reached");
    expect(fetched).toHaveLength(2);
  });

  it.each([
    [{ issuer: "https://evil.example.com", jwks_uri: `${issuer}/keys` }, "of another issuer"],
    [{ issuer }, "without jwks_uri"],
    ["no JSON", "that is no JSON"],
    [null, "of another issuer"],
  ])("refuses the discovery document %j", async (document, message) => {
    const { keys, documents } = setUp();
    const text = typeof document === "string" ? document : JSON.stringify(document);
    documents.set(`${issuer}/.well-known/openid-configuration`, text);
    await expect(keys.of(issuer, "1")).rejects.toThrowError(message);
  });

  it("a trusted issuer may have a private address, and its keys' address may be given", async () => {
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
