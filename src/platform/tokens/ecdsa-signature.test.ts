import { generateKeyPairSync, sign, verify } from "node:crypto";
import { expect, it } from "vitest";
import { derOfSignature, signatureOfDer } from "./ecdsa-signature.ts";

/** Enough for numbers with a zero at the start, of which one in 256 has one. */
const many = 400;

it.each([
  ["P-256", 32, many],
  ["P-384", 48, 20],
  ["P-521", 66, 20],
])("gives OpenSSL the signatures of %s that JWTs have", (namedCurve, size, count) => {
  const { publicKey: key, privateKey } = generateKeyPairSync("ec", { namedCurve });
  for (let time = 0; time < count; time += 1) {
    const content = Buffer.from(`content ${time}`);
    const signature = sign("sha256", content, { key: privateKey, dsaEncoding: "ieee-p1363" });
    expect(signature).toHaveLength(2 * size);
    expect(verify("sha256", content, key, derOfSignature(signature)), signature.toString("hex")).toBe(true);
  }
});

it("takes from OpenSSL the signatures that JWTs have", () => {
  const { publicKey: key, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  for (let time = 0; time < many; time += 1) {
    const content = Buffer.from(`content ${time}`);
    const signature = signatureOfDer(sign("sha256", content, privateKey), 32);
    expect(verify("sha256", content, { key, dsaEncoding: "ieee-p1363" }, signature)).toBe(true);
  }
});

it("keeps numbers of any length", () => {
  for (const [first, second] of [
    ["01", "80"],
    ["0080", "7f".repeat(32)],
    ["ff".repeat(32), "00ff".padStart(60, "1")],
    ["00", "00"],
  ] as const) {
    const signature = Buffer.from(first.padStart(64, "0") + second.padStart(64, "0"), "hex");
    expect(signatureOfDer(derOfSignature(signature), 32)).toEqual(signature);
  }
  expect(derOfSignature(Buffer.from("0000007f00000080", "hex")).toString("hex")).toBe("300702017f02020080");
});
