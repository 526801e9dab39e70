import { describe, expect, it } from "vitest";
import type { IdentityProvider } from "#src/api/identity-provider.ts";
import { identityProviderSpecSchema } from "#src/api/identity-provider.ts";
import { identityProviders } from "#src/platform-client/identity-providers.ts";
import type { ExternalIdentity } from "./identity.ts";
import { identityProviderKind } from "./identity-provider.ts";

const group = "a".repeat(40);
const role = "c".repeat(40);
const issuer = "https://login.example";
const context = { serviceAccounts: { issuer: "https://cluster.example", audience: "auth.example" } };

function provider(spec: object = {}): IdentityProvider {
  const parsed = identityProviderSpecSchema.parse({
    groupUid: group,
    issuer,
    clientId: "muster",
    ...("defaultRoleUid" in spec ? {} : { defaultRoleRef: { name: "viewer" } }),
    ...spec,
  });
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "IdentityProvider", metadata: { name: "staff" }, spec: parsed };
}

const external = (fields: object = {}) =>
  identityProviders.schema.parse({
    uid: `${group}/1111111111111111`,
    name: "staff",
    defaultRole: role,
    oidc: { issuer, clientId: "muster", pkceEnabled: true },
    ...fields,
  });

it("equals the platform's form of what it desires, whose empty fields are left out", () => {
  const desired = identityProviderKind.desired(provider({ description: "" }), { parent: group, role }, context);
  expect(identityProviderKind.actual(external(), desired)).toEqual(desired);
});

it("manages how people log in as a whole, and the description only if the spec sets it", () => {
  const desired = identityProviderKind.desired(provider(), { parent: group, role }, context);
  expect(Object.keys(desired)).toEqual(["name", "defaultRole", "oidc"]);
  const more = { issuer, clientId: "muster", pkceEnabled: true, additionalScopes: ["admin"] };
  expect(identityProviderKind.actual(external({ oidc: more }), desired)["oidc"]).not.toEqual(desired["oidc"]);
});

it.each<[string, object, string]>([
  ["oidc.client_id", {}, "spec.clientId"],
  ["oidc.issuer", {}, "spec.issuer"],
  ["oidc.additionalScopes", {}, "spec.additionalScopes"],
  ["oidc.client_secret", {}, "spec.clientSecretRef"],
  ["default_role", {}, "spec.defaultRoleRef"],
  ["defaultRole", { defaultRoleUid: role }, "spec.defaultRoleUid"],
  ["name", {}, "spec.name"],
])("has %s of the platform at a path of the spec", (field, spec, path) => {
  expect(identityProviderKind.specPath(field, provider(spec))).toBe(path);
});

describe("the people of a provider", () => {
  it.each<[boolean, object | undefined]>([
    [true, { issuer, subject: "ana", audience: "muster" }],
    [true, { issuer, subject: "ana" }],
    [true, { issuer: `${issuer}/`, subject: "ana" }],
    [false, { issuer, subject: "ci", audience: "another" }],
    [false, { issuer: "https://other.example", subject: "ana", audience: "muster" }],
    [false, undefined],
  ])("are %s: %j", (expected, claimMatch) => {
    const identity = { uid: `${group}/2222222222222222`, name: "", description: "", claimMatch } as ExternalIdentity;
    expect(identityProviderKind.vouching?.vouchesFor(provider(), external(), identity)).toBe(expected);
  });

  it("are those of the spec, too, after others changed the provider on the platform", () => {
    const claimMatch = { issuer, subject: "ana", audience: "muster" };
    const identity = { uid: `${group}/2222222222222222`, name: "", description: "", claimMatch } as ExternalIdentity;
    const changed = external({ oidc: { issuer, clientId: "another", pkceEnabled: true } });
    expect(identityProviderKind.vouching?.vouchesFor(provider(), changed, identity)).toBe(true);
  });
});

it("puts the secret into what is written, and nowhere else", () => {
  const body = { name: "staff", oidc: { issuer, clientId: "muster" } };
  expect(identityProviderKind.secret?.withValue(body, "planted")).toEqual({
    name: "staff",
    oidc: { issuer, clientId: "muster", clientSecret: "planted" },
  });
  expect(JSON.stringify(body)).not.toContain("planted");
});
