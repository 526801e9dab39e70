import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSubjectToken, type SubjectToken } from "./subject-token.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-subject-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function read(content: string): SubjectToken {
  const path = join(folder, "token");
  writeFileSync(path, content);
  return readSubjectToken(path);
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const header = { alg: "RS256", kid: "key-1" };
/** The claims of a token that a real API server projects. */
const claims = {
  aud: ["auth.example.com"],
  exp: 1_800_003_600,
  iat: 1_800_000_000,
  iss: "https://kubernetes.default.svc",
  jti: "5a1c",
  "kubernetes.io": {
    namespace: "shop",
    node: { name: "n1", uid: "1" },
    pod: { name: "checkout-1", uid: "2" },
    serviceaccount: { name: "checkout", uid: "3" },
    warnafter: 1_800_003_000,
  },
  nbf: 1_800_000_000,
  sub: "system:serviceaccount:shop:checkout",
};
const token = (changes: object = {}, headerChanges: object = {}) =>
  `${part({ ...header, ...headerChanges })}.${part({ ...claims, ...changes })}.c2ln`;
const inKubernetes = (changes: object) => ({ "kubernetes.io": { ...claims["kubernetes.io"], ...changes } });

describe("readSubjectToken", () => {
  it("reads what the platform compares with the identity", () => {
    expect(read(`${token()}\n`)).toMatchObject({
      text: token(),
      claims: {
        issuer: '"https://kubernetes.default.svc"',
        subject: '"system:serviceaccount:shop:checkout"',
        audience: '["auth.example.com"]',
      },
    });
  });

  it("has the same fingerprint for a token that differs in time only", () => {
    const renewed = { exp: 1_900_000_000, iat: 1_899_000_000, nbf: 1_899_000_000, jti: "6b2d" };
    expect(read(token({ ...renewed, ...inKubernetes({ warnafter: 1_899_999_000 }) })).fingerprint).toBe(
      read(token()).fingerprint,
    );
  });

  it.each<[string, object, object?]>([
    ["issuer", { iss: "https://other.example" }],
    ["subject", { sub: "system:serviceaccount:shop:cart" }],
    ["audience", { aud: ["other.example.com"] }],
    ["pod", inKubernetes({ pod: { name: "checkout-2", uid: "9" } })],
    ["key", {}, { kid: "key-2" }],
  ])("has another fingerprint for another %s", (_, changes, headerChanges) => {
    expect(read(token(changes, headerChanges)).fingerprint).not.toBe(read(token()).fingerprint);
  });

  it("accepts a token that is not a JWT, and any claims", () => {
    expect(read("opaque-token").claims).toBeUndefined();
    expect(read("a").fingerprint).not.toBe(read("b").fingerprint);
    expect(read(`${part({})}.${part({ "kubernetes.io": null })}.x`).claims?.issuer).toBe("none");
  });

  it.each(["", " \n", "two words", "line\nbreak", "ä", "x".repeat(70_000)])(
    "rejects content that is not a token",
    (content) => {
      expect(() => read(content)).toThrowError(`the file ${join(folder, "token")} does not contain a token`);
    },
  );

  it("names a file that does not exist", () => {
    expect(() => readSubjectToken(join(folder, "missing"))).toThrowError(
      /^the file with the workload's own token cannot be read: .*missing does not exist; name it with --subject-token-file/,
    );
  });
});
