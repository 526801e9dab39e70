import { describe, expect, it } from "vitest";
import { execCredential, execCredentialVersion } from "./exec-credential.ts";

describe("execCredentialVersion", () => {
  it.each([undefined, "", '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{}}'])(
    "is v1 for %j",
    (info) => expect(execCredentialVersion(info)).toBe("client.authentication.k8s.io/v1"),
  );

  it("is the version that the kubeconfig names", () => {
    const info = '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{}}';
    expect(execCredentialVersion(info)).toBe("client.authentication.k8s.io/v1beta1");
  });

  it.each(['{"apiVersion":"client.authentication.k8s.io/v1alpha1"}', "{", "null", "{}"])("rejects %j", (info) => {
    expect(() => execCredentialVersion(info)).toThrowError("must have apiVersion: client.authentication.k8s.io/v1");
  });
});

it("gives kubectl the token and its expiry in whole seconds", () => {
  const token = { value: "secret", expiresAt: Date.parse("2026-01-01T12:00:00.999Z") };
  expect(JSON.parse(execCredential("client.authentication.k8s.io/v1", token))).toEqual({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    status: { token: "secret", expirationTimestamp: "2026-01-01T12:00:00Z" },
  });
});
