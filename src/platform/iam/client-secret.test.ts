import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  type IdentityProvider_OIDCSchema as OidcSchema,
  IdentityProviderSchema,
} from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { MasterKey } from "#src/platform/tokens/master-key.ts";
import { oidcOf, openSecret, sealSecret, withoutSecret } from "./client-secret.ts";

const masterKey = new MasterKey(new Uint8Array(32).fill(1));
const otherKey = new MasterKey(new Uint8Array(32).fill(2));

function provider(oidc: MessageInitShape<typeof OidcSchema>, uid = "a/1") {
  const value = { issuer: "https://login.example.com", clientId: "c", ...oidc };
  return create(IdentityProviderSchema, { uid, configuration: { case: "oidc", value } });
}

describe("a client secret", () => {
  const kept = sealSecret(masterKey, provider({ clientSecret: "s3cret" }), undefined);

  it("is sealed for a provider at the maximum depth of the tree", () => {
    const [here, there] = ["/0123456789abcdef", "/0123456789abcdee"].map(
      (end) => "a".repeat(40) + "/0123456789abcdef".repeat(63) + end,
    );
    const deep = sealSecret(masterKey, provider({ clientSecret: "s3cret" }, here ?? ""), undefined);
    expect(openSecret(masterKey, deep)).toBe("s3cret");
    expect(() => openSecret(masterKey, { ...deep, uid: there ?? "" })).toThrowError("sealed with another key file");
  });

  it("can be opened only for its provider and with its key", () => {
    expect(oidcOf(kept)?.clientSecret).not.toContain("s3cret");
    expect(Buffer.from(oidcOf(kept)?.clientSecret ?? "", "base64").toString("latin1")).not.toContain("s3cret");
    expect(openSecret(masterKey, kept)).toBe("s3cret");
    expect(() => openSecret(otherKey, kept)).toThrowError("sealed with another key file");
    expect(() => openSecret(masterKey, { ...kept, uid: "a/2" })).toThrowError("sealed with another key file");
  });

  it("is kept if the new one is empty, and replaced otherwise", () => {
    const unchanged = sealSecret(masterKey, provider({ clientId: "d" }), kept);
    expect(openSecret(masterKey, unchanged)).toBe("s3cret");
    expect(openSecret(masterKey, sealSecret(masterKey, provider({ clientSecret: "new" }), kept))).toBe("new");
    expect(openSecret(masterKey, sealSecret(masterKey, provider({}), undefined))).toBe("");
  });

  it("must be set again when the issuer changes", () => {
    const moved = provider({ issuer: "https://elsewhere.example.com" });
    expect(() => sealSecret(masterKey, moved, kept)).toThrowError("when the issuer changes");
    expect(openSecret(masterKey, sealSecret(masterKey, moved, withoutSecret(kept)))).toBe("");
  });

  it("does not modify the request, because a write may be run again", () => {
    const request = provider({ clientSecret: "s3cret" });
    sealSecret(masterKey, request, undefined);
    expect(openSecret(masterKey, sealSecret(masterKey, request, undefined))).toBe("s3cret");
  });
});
