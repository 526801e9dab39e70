import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { KeySet } from "../tokens/key-set.ts";
import { type ExpectedToken, personIn } from "./id-token.ts";

const issuer = "https://issuer.example.com";
const now = 1_800_000_000_000;
const seconds = now / 1_000;
type Claims = Readonly<Record<string, unknown>>;
const claims: Claims = {
  iss: issuer,
  sub: "ada",
  aud: "client",
  iat: seconds,
  exp: seconds + 60,
  nonce: "of this login",
  email: "ada@example.com",
  email_verified: true,
};
let expected: ExpectedToken;
let sign: (changes: Claims) => Promise<string>;
let signWithAnotherKey: (changes: Claims) => Promise<string>;

beforeAll(async () => {
  const [{ publicKey, privateKey }, other] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
  const keys = new KeySet([{ ...(await exportJWK(publicKey)), kid: "1" }]);
  expected = { issuer, clientId: "client", nonce: "of this login", now, keysOf: async () => keys };
  const signer = (key: CryptoKey) => (changes: Claims) =>
    new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(key);
  sign = signer(privateKey);
  signWithAnotherKey = signer(other.privateKey);
});

describe("an ID token", () => {
  it.each<[string, Claims, object]>([
    ["as it is", {}, { issuer, subject: "ada", email: "ada@example.com", emailVerified: true }],
    ["for several audiences", { aud: ["client", "b"], azp: "client" }, { subject: "ada" }],
    ["with a text as email_verified", { email_verified: "true" }, { emailVerified: true }],
    ["whose address is not verified", { email_verified: false }, { email: "ada@example.com", emailVerified: false }],
    ["that does not say whether", { email_verified: undefined }, { emailVerified: false }],
    ["without an address", { email: undefined }, { email: undefined, emailVerified: false }],
    ["with an address that is not a text", { email: ["a@example.com"] }, { email: undefined, emailVerified: false }],
  ])("says who the person is, %s", async (_, changes, person) =>
    expect(await personIn(await sign(changes), expected)).toMatchObject(person),
  );

  it.each<[string, Claims]>([
    ["is from another issuer", { iss: "https://other.example.com" }],
    ["is for another client", { aud: "other" }],
    ["is for another client", { aud: [] }],
    ["is for another client (azp)", { aud: ["client", "other"] }],
    ["is for another client (azp)", { azp: "other" }],
    ["is of another login (nonce)", { nonce: "of another login" }],
    ["is of another login (nonce)", { nonce: undefined }],
    ["has no time (iat)", { iat: undefined }],
    ["the token has expired", { exp: seconds }],
    ["the token has no expiry", { exp: undefined }],
    ["a time that is invalid (exp)", { exp: "1900000000" }],
    ["a time that is invalid (iat)", { iat: -1 }],
    ["the token is not valid yet", { iat: seconds + 61 }],
    ["has a subject that is empty or too long", { sub: "" }],
    ["has a subject that is empty or too long", { sub: "a".repeat(401) }],
    ["has a subject that is empty or too long", { sub: "a\0" }],
  ])("is rejected if it %s", async (message, changes) =>
    expect(personIn(await sign(changes), expected)).rejects.toThrow(message),
  );

  it("is rejected if the issuer did not sign it", async () => {
    const text = await sign({});
    const unsigned = [Buffer.from('{"alg":"none"}').toString("base64url"), text.split(".")[1], ""].join(".");
    for (const token of [await signWithAnotherKey({}), unsigned])
      await expect(personIn(token, expected)).rejects.toThrow("is not signed with a key of its issuer");
    for (const token of ["", "a", "a.b.c", "a".repeat(100_000)])
      await expect(personIn(token, expected)).rejects.toThrow("the ID token of the identity provider was rejected");
  });
});
