import { describe, expect, it } from "vitest";
import { seeKeys, type SeenKeys, uploadedKeys } from "./uploaded-keys.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const key = (kid: string) => ({ kty: "RSA", kid, n: `n of ${kid}`, e: "AQAB", alg: "RS256", use: "sig" });
const document = (...kids: string[]) => ({ keys: kids.map(key) });
const kids = (seen: SeenKeys, dropped: readonly string[] = []): string[] | undefined => {
  const uploaded = uploadedKeys(seen, dropped, 0);
  return uploaded && (JSON.parse(uploaded.issuerKeys) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
};
/** Responses of API servers, by the minute. */
const after = (...responses: (readonly [minute: number, ...kids: string[]])[]): SeenKeys =>
  responses.reduce<SeenKeys>((seen, [at, ...served]) => seeKeys(seen, document(...served), at * minute), new Map());

describe("the keys of service-account tokens", () => {
  it.each<[string, SeenKeys, string[]]>([
    ["are those of the response", after([0, "a", "b"]), ["a", "b"]],
    ["are the union of two API servers' keys", after([0, "a"], [1, "b"], [2, "a"]), ["a", "b"]],
    ["include a key that was seen within the last hour", after([0, "a"], [59, "b"]), ["a", "b"]],
    ["do not include a key that was not", after([0, "a"], [60, "b"]), ["b"]],
    ["include a key for an hour after it was seen last", after([0, "a"], [50, "a", "b"], [100, "b"]), ["a", "b"]],
    [
      "are bounded, and the latest ones stay",
      after(...Array.from({ length: 40 }, (_, n) => [n, `k${n + 10}`] as const)),
      Array.from({ length: 32 }, (_, n) => `k${n + 18}`),
    ],
  ])("%s", (_, seen, expected) => {
    expect(kids(seen)).toEqual(expected);
  });

  it("have one text, in whatever order they are seen", () => {
    expect(uploadedKeys(after([0, "a"], [1, "b"]), [], 0)).toEqual(uploadedKeys(after([0, "b", "a"]), [], 0));
  });

  it("lose a dropped key at once, although it is still served", () => {
    expect(kids(after([0, "a", "b"]), ["a"])).toEqual(["b"]);
    expect(kids(after([0, "a"]), ["a"])).toBeUndefined();
  });

  it("contain public members only", () => {
    const seen = seeKeys(
      new Map(),
      {
        keys: [
          { ...key("a"), d: "private" },
          { kty: "oct", k: "symmetric" },
        ],
      },
      0,
    );
    expect(uploadedKeys(seen, [], 0)?.issuerKeys).toBe(
      '{"keys":[{"alg":"RS256","e":"AQAB","kid":"a","kty":"RSA","n":"n of a","use":"sig"}]}',
    );
  });

  it.each([undefined, "keys", {}, { keys: {} }, { keys: [] }, { keys: [{ kty: "oct" }] }])("reject %j", (response) => {
    expect(() => seeKeys(new Map(), response, 0)).toThrowError("not a JWKS document");
  });

  it("expire after 180 to 210 days, and are renewed every 30", () => {
    const expiry = (now: number) =>
      (Date.parse(uploadedKeys(after([0, "a"]), [], now)?.expirationTime ?? "") - now) / day;
    const days = Array.from({ length: 100 }, (_, n) => expiry((20_000 + n) * day + 1));
    expect(Math.min(...days)).toBeGreaterThan(179);
    expect(Math.max(...days)).toBeLessThanOrEqual(210);
    expect(new Set(days.map((left, n) => Math.round(left + n))).size).toBeLessThanOrEqual(5);
  });
});
