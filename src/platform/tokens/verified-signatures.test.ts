import { generateKeyPairSync } from "node:crypto";
import { type JWK, SignJWT } from "jose";
import { expect, it, vi } from "vitest";
import { KeySet } from "./key-set.ts";
import { VerifiedSignatures } from "./verified-signatures.ts";

const start = 1_700_000_000_000;
const expires = start + 600_000;
let now = start;
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = { ...(pair.publicKey.export({ format: "jwk" }) as JWK), kid: "k" };
const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }) as JWK;
const sign = (claims = {}) => new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "k" }).sign(pair.privateKey);

function signaturesAt(time: number) {
  now = time;
  return new VerifiedSignatures(() => now);
}

it("verifies a signature once", async () => {
  const signatures = signaturesAt(start);
  const keys = new KeySet([jwk], () => "fingerprint");
  const token = await sign();
  const verify = vi.spyOn(keys, "signerOf");
  for (let time = 0; time < 3; time += 1)
    expect((await signatures.signerOf(keys, token, expires))?.fingerprint).toBe("fingerprint");
  expect(verify).toHaveBeenCalledTimes(1);
});

it.each([
  ["other keys with the same id", () => new KeySet([{ ...other, kid: "k" }])],
  ["no keys", () => new KeySet([])],
  ["the same key for another algorithm", () => new KeySet([{ ...jwk, alg: "ES384" }])],
  ["the same key with another id", () => new KeySet([{ ...jwk, kid: "other" }])],
])("does not use what another key set has verified: %s", async (_, keySet) => {
  const signatures = signaturesAt(start);
  const token = await sign();
  expect(await signatures.signerOf(new KeySet([jwk]), token, expires)).toBeDefined();
  expect(await signatures.signerOf(keySet(), token, expires)).toBeUndefined();
});

it("verifies another signature of the same content, and another content with the same signature", async () => {
  const signatures = signaturesAt(start);
  const keys = new KeySet([jwk]);
  const token = await sign({ sub: "a" });
  expect(await signatures.signerOf(keys, token, expires)).toBeDefined();
  const [header, payload, signature = ""] = token.split(".");
  const [, otherPayload] = (await sign({ sub: "b" })).split(".");
  const changed = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
  expect(await signatures.signerOf(keys, `${header}.${payload}.${changed}`, expires)).toBeUndefined();
  expect(await signatures.signerOf(keys, `${header}.${otherPayload}.${signature}`, expires)).toBeUndefined();
});

it("remembers nothing of a token that has expired, nor a signature that is not valid", async () => {
  const signatures = signaturesAt(start);
  const keys = new KeySet([jwk]);
  const token = await sign();
  await signatures.signerOf(keys, token, expires);
  now = expires;
  const verify = vi.spyOn(keys, "signerOf");
  await signatures.signerOf(keys, token, expires);
  expect(verify).toHaveBeenCalledTimes(1);
  const invalid = signaturesAt(start);
  expect(await invalid.signerOf(new KeySet([other]), token, expires)).toBeUndefined();
  expect(invalid.bytes).toBe(0);
});

it("has a bound, whatever is presented", async () => {
  const signatures = signaturesAt(start);
  const keys = new KeySet([jwk]);
  const [signer] = [await keys.signerOf(await sign())];
  vi.spyOn(keys, "signerOf").mockResolvedValue(signer);
  for (let token = 0; token < 20_000; token += 1) await signatures.signerOf(keys, `token ${token}`, expires);
  expect(signatures.bytes).toBeGreaterThan(2 * 1024 * 1024);
  expect(signatures.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
});
