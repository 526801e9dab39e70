import { expect, it } from "vitest";
import { onlyEndsKeys } from "./ended-keys.ts";

const [a, b] = ["a", "b"].map((kid) => ({ kty: "RSA", kid, n: kid, e: "AQAB" }));
const jwks = (...keys: readonly unknown[]) => JSON.stringify({ keys });
const before = {
  issuer: "https://issuer.example",
  subject: "ci",
  issuerKeys: jwks(a, b),
  expirationTime: "2026-06-01T00:00:00.000Z",
  audiences: ["muster"],
};

it.each<[string, object, boolean]>([
  ["removes a key", { issuerKeys: jwks(b) }, true],
  ["writes the same keys in another order", { issuerKeys: ` ${jwks(b, a)}` }, true],
  ["removes a key and ends earlier", { issuerKeys: jwks(a), expirationTime: "2026-05-01T00:00:00Z" }, true],
  ["adds a key", { issuerKeys: jwks(a, b, { ...a, kid: "c" }) }, false],
  ["replaces a key by another one with its id", { issuerKeys: jwks({ ...a, n: "another" }) }, false],
  ["removes a key and ends later", { issuerKeys: jwks(a), expirationTime: "2026-07-01T00:00:00Z" }, false],
  ["removes a key and leaves the end to the platform", { issuerKeys: jwks(a), expirationTime: undefined }, false],
  ["is for another subject", { subject: "another" }, false],
  ["is for another issuer", { issuer: "https://another.example" }, false],
  ["is for another audience", { audiences: ["another"] }, false],
  ["is for the default audience", { audiences: [] }, false],
  ["has keys that cannot be read", { issuerKeys: "keys" }, false],
])("a change that %s only ends keys: %s", (_, change, expected) => {
  expect(onlyEndsKeys({ staticKeys: before }, { staticKeys: { ...before, ...change } })).toBe(expected);
});

it("a change from or to another way to assume the identity does not only end keys", () => {
  expect(onlyEndsKeys({}, { staticKeys: before })).toBe(false);
  expect(onlyEndsKeys({ staticKeys: before }, {})).toBe(false);
});
