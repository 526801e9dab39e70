import { expect, it } from "vitest";
import { parsePullRequest, pullResponse } from "./kubelet-credentials.ts";

const key = "iam.muster.dev/identity-uid";
const sent = {
  kind: "CredentialProviderRequest",
  apiVersion: "credentialprovider.kubelet.k8s.io/v1",
  image: "registry.example.com/shop/web:1",
  serviceAccountToken: "the-token",
  serviceAccountAnnotations: { [key]: "the-uid" },
};
const parse = (changes: object = {}) => parsePullRequest(JSON.stringify({ ...sent, ...changes }), key);

it("reads the registry, the token and the identity of a request", () => {
  expect(parse()).toEqual({ registry: "registry.example.com", subjectToken: "the-token", identity: "the-uid" });
  expect(parse({ serviceAccountAnnotations: undefined }).identity).toBeUndefined();
  expect(parse({ serviceAccountAnnotations: { constructor: "x", [key]: 7 } }).identity).toBeUndefined();
});

it.each([
  ["REGISTRY.example.com:5000/a", "registry.example.com:5000"],
  ["localhost/a", "localhost"],
  ["registry:5000/a", "registry:5000"],
  ["[::1]:5000/a", "[::1]:5000"],
  ["library/nginx", undefined],
  ["nginx:1.27", undefined],
  ["registry.example.com", undefined],
])("takes the registry of %s for %s", (image, registry) => {
  expect(parse({ image }).registry).toBe(registry);
});

it.each([
  [{ kind: "Pod" }, "no CredentialProviderRequest"],
  [{ apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1" }, "apiVersion: credentialprovider.kubelet.k8s.io/v1 "],
  [{ serviceAccountToken: undefined }, "set tokenAttributes"],
])("says what is wrong with %j, without the token", (changes, message) => {
  expect(() => parse(changes)).toThrow(message);
  expect(() => parse(changes)).not.toThrow("the-token");
});

it("gives a token for the registry until a minute before it expires", () => {
  const token = { value: "t", expiresAt: 3_600_000 };
  expect(JSON.parse(pullResponse({ registry: "r.example", username: "_token", token }, 0))).toEqual({
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    kind: "CredentialProviderResponse",
    cacheKeyType: "Registry",
    cacheDuration: "3540s",
    auth: { "r.example": { username: "_token", password: "t" } },
  });
  expect(JSON.parse(pullResponse({ registry: "r.example", username: "u", token }, 3_599_000)).cacheDuration).toBe("0s");
  expect(JSON.parse(pullResponse(undefined, 0))).not.toHaveProperty("auth");
});
