import { generateKeyPairSync } from "node:crypto";
import { CompactSign, FlattenedSign, type JWK, type JWSHeaderParameters, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { tokenLimits } from "../limits/token-limits.ts";
import { KeySet } from "./key-set.ts";

const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwkOf = ({ publicKey }: ReturnType<typeof pair>, members: object = {}): JWK => ({
  ...(publicKey.export({ format: "jwk" }) as JWK),
  ...members,
});
const sign = ({ privateKey }: ReturnType<typeof pair>, header: object = {}) =>
  new SignJWT().setProtectedHeader({ alg: "ES256", ...header }).sign(privateKey);
const rsa = (modulusLength: number, publicExponent?: number) =>
  generateKeyPairSync("rsa", {
    modulusLength,
    ...(publicExponent === undefined ? {} : { publicExponent }),
  }).publicKey.export({ format: "jwk" }) as JWK;

describe("KeySet", () => {
  it("tries each key of a type if neither the keys nor the token have an id", async () => {
    const [first, second, other] = [pair(), pair(), pair()];
    const keys = new KeySet([jwkOf(first), jwkOf(second)], (jwk) => String(jwk.x));
    for (const one of [first, second]) {
      const signer = await keys.signerOf(await sign(one));
      expect(signer?.fingerprint).toBe(jwkOf(one).x);
    }
    expect(await keys.signerOf(await sign(other))).toBeUndefined();
  });

  it("uses only keys with the id of the token, and the algorithm, use and operations for it", async () => {
    const one = pair();
    const found = async (members: object, header: object = {}) =>
      (await new KeySet([jwkOf(one, members)]).signerOf(await sign(one, header))) !== undefined;
    expect(await found({ kid: "1" }, { kid: "1" })).toBe(true);
    expect(await found({ kid: "1" })).toBe(true);
    expect(await found({ kid: "1" }, { kid: "2" })).toBe(false);
    expect(await found({}, { kid: "2" })).toBe(false);
    expect(await found({ alg: "ES256", use: "sig", key_ops: ["verify"] })).toBe(true);
    expect(await found({ alg: "ES384" })).toBe(false);
    expect(await found({ use: "enc" })).toBe(false);
    expect(await found({ key_ops: ["encrypt"] })).toBe(false);
  });

  it("accepts no extension: RFC 7515 demands it of those that are not supported, and JWTs must not use b64", async () => {
    const one = pair();
    const keys = new KeySet([jwkOf(one)]);
    const signed = (header: JWSHeaderParameters, payload = Buffer.from("{}")) => {
      const crit = { b64: true, exp: true, "https://example.com": true };
      return new CompactSign(payload).setProtectedHeader({ alg: "ES256", ...header }).sign(one.privateKey, { crit });
    };
    expect(await keys.signerOf(await signed({}))).toBeDefined();
    expect(await keys.signerOf(await signed({ b64: true }))).toBeDefined();
    for (const header of [
      { crit: ["b64"], b64: true },
      { crit: ["exp"], exp: 1 },
      { crit: ["https://example.com"], "https://example.com": 1 },
      { b64: false },
    ])
      expect(await keys.signerOf(await signed(header)), JSON.stringify(header)).toBeUndefined();
    // The payload of this one is signed as it is.
    const unencoded = await new FlattenedSign(Buffer.from("e30"))
      .setProtectedHeader({ alg: "ES256", crit: ["b64"], b64: false })
      .sign(one.privateKey);
    expect(await keys.signerOf(`${unencoded.protected}.e30.${unencoded.signature}`)).toBeUndefined();
  });

  it("tries a bounded number of keys", async () => {
    const last = pair();
    const keys = Array.from({ length: tokenLimits.triedKeys.value }, () => jwkOf(pair()));
    expect(await new KeySet([...keys.slice(1), jwkOf(last)]).signerOf(await sign(last))).toBeDefined();
    expect(await new KeySet([...keys, jwkOf(last)]).signerOf(await sign(last))).toBeUndefined();
  });

  const rsaPair = (modulusLength: number, publicExponent = 65_537) =>
    generateKeyPairSync("rsa", { modulusLength, publicExponent });
  const curvePair = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });

  it.each([
    ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map(
      (alg) => [alg, "2,048 bits", rsaPair(2_048)] as const,
    ),
    ["RS256", "4,096 bits", rsaPair(4_096)],
    ["PS256", "a large exponent", rsaPair(2_048, 2 ** 32 - 1)],
    ["ES256", "P-256", curvePair("P-256")],
    ["ES384", "P-384", curvePair("P-384")],
    ["ES512", "P-521", curvePair("P-521")],
    ["EdDSA", "Ed25519", generateKeyPairSync("ed25519")],
    ["Ed25519", "Ed25519", generateKeyPairSync("ed25519")],
  ] as const)(
    "verifies what jose signs with %s and a key of %s, and nothing else",
    async (alg, _, { publicKey, privateKey }) => {
      const keys = new KeySet([publicKey.export({ format: "jwk" })]);
      const token = await new SignJWT({ sub: "é€😀" }).setProtectedHeader({ alg }).sign(privateKey);
      expect(await keys.signerOf(token)).toBeDefined();
      const [header = "", payload = "", signature = ""] = token.split(".");
      const bytes = Buffer.from(signature, "base64url");
      const lengths = [0, 1, bytes.length / 2, bytes.length - 1];
      const invalid = [
        ...lengths.map((length) => bytes.subarray(0, length)),
        ...[0, 0x7f, 0xff].map((byte) => Buffer.alloc(bytes.length, byte)),
        Buffer.concat([bytes, Buffer.of(0)]),
        Buffer.concat([Buffer.of(0), bytes]),
        bytes.toReversed(),
      ].map((one) => Buffer.from(one).toString("base64url"));
      for (const other of [...invalid, `${signature}=`, `${signature} `, `${signature}.`, `*${signature}`])
        expect(await keys.signerOf(`${header}.${payload}.${other}`), other).toBeUndefined();
      expect(await keys.signerOf(`${header}.${payload}A.${signature}`)).toBeUndefined();
      const named = Buffer.from(JSON.stringify({ alg, kid: "1" })).toString("base64url");
      expect(await keys.signerOf(`${named}.${payload}.${signature}`)).toBeUndefined();
    },
  );

  it.each<[string, JWK]>([
    ["without coordinates", { kty: "EC", crv: "P-256" }],
    ["not on its curve", { kty: "EC", crv: "P-256", x: "eA", y: "eQ" }],
    ["of a curve that no algorithm uses", jwkOf(generateKeyPairSync("ec", { namedCurve: "secp256k1" }))],
    ["for key agreement", generateKeyPairSync("x25519").publicKey.export({ format: "jwk" })],
    ["an RSA key of 1,024 bits", rsa(1_024)],
    ["with the algorithm of another type", jwkOf(pair(), { alg: "RS256" })],
    ["with an id that is not a string", jwkOf(pair(), { kid: 1 })],
  ])("ignores a key %s", (_, jwk) => expect(new KeySet([jwk]).size).toBe(0));
});
