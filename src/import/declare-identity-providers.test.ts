import { expect, it } from "vitest";
import { markerOf, objectHash, withMarker } from "#src/kinds/marker.ts";
import { importFiles } from "./import-files.ts";
import type { ImportOptions } from "./import-options.ts";
import { exceptionsOf, imported, objectsOf, own, shop, specOf, viewer } from "./imported.testing.ts";

const uid = `${shop}/00000000000000d2`;
const issuer = "https://login.example";
const oidc = { issuer, clientId: "muster", additionalScopes: [], groupsClaim: "", pkceEnabled: true };
const login = { uid, name: "login", description: "", updateTime: "", defaultRole: viewer.uid, oidc };

function withProvider(changes: Partial<typeof login> = {}, options: Partial<ImportOptions> = {}) {
  const identityProviders = [{ ...login, ...changes }];
  return imported({ identities: [], roleBindings: [], identityProviders }, options);
}

it("declares a provider with a Secret that a person makes, and permits what it needs", () => {
  const tree = withProvider();
  const provider = objectsOf(tree).find(({ kind }) => kind === "IdentityProvider");
  const name = provider?.metadata.name ?? "";
  expect(provider?.spec).toEqual({
    groupRef: { name: objectsOf(tree)[1]?.metadata.name },
    uid,
    issuer,
    clientId: "muster",
    clientSecretRef: { name },
    defaultRoleRef: { name: "viewer" },
    name: "login",
  });
  expect(tree.exceptions).toEqual([]);
  expect([...tree.secrets]).toEqual([[uid, { namespace: "team", name, key: "clientSecret", issuer }]]);
  expect(tree.tenant.spec).toMatchObject({
    roles: ["viewer"],
    claimIssuers: [{ issuer }],
    kinds: ["Group", "IdentityProvider"],
    adopt: ["Group", "IdentityProvider"],
  });
});

it("says in the manifest how to make the Secret, also where the issuer has characters of a shell", () => {
  const tree = withProvider({ oidc: { ...oidc, issuer: "https://login.example/$(reboot)" } });
  const [path = "", text = ""] = [...importFiles(tree)].find(([one]) => one.includes("identityprovider-")) ?? [];
  const [name] = /login-[0-9a-f]{10}/.exec(path) ?? [];
  expect(
    text
      .split("apiVersion")[0]
      ?.replaceAll(name ?? "?", "NAME")
      .replaceAll(uid, "UID"),
  ).toMatchInlineSnapshot(`
    "# The platform never returns a client secret, so a person has to make the Secret that this object names:
    #   kubectl create secret generic NAME -n team --from-file=clientSecret=FILE
    #   kubectl annotate --overwrite secret -n team NAME 'iam.muster.dev/issuer=https://login.example/$(reboot)'
    # FILE must not end with a line break. The condition Ready prints how to let the operator read the Secret.
    # With management Observe, nothing reads the Secret, and it may be missing. An object that manages the provider
    # is not Ready without it: the platform keeps the client secret that it has, so people still log in.
    # If the provider has no client secret, import with --without-secret UID
    "
  `);
});

it("has everything that the operator compares", () => {
  const tree = withProvider({
    oidc: { ...oidc, additionalScopes: ["email"], groupsClaim: "groups", pkceEnabled: false } as typeof oidc,
  });
  expect(specOf(tree, "IdentityProvider")).toMatchObject({
    additionalScopes: ["email"],
    groupsClaim: "groups",
    pkceEnabled: false,
  });
});

it("names no Secret of a provider that has none", () => {
  const tree = withProvider({}, { withoutSecret: [uid] });
  expect(specOf(tree, "IdentityProvider")).not.toHaveProperty("clientSecretRef");
  expect(tree.secrets.size).toBe(0);
  const unprotected = withProvider({ oidc: { ...oidc, pkceEnabled: false } }, { withoutSecret: [uid] });
  expect(exceptionsOf(unprotected).join()).toContain("clientSecretRef must be set if pkceEnabled is false");
});

it.each<[string, Partial<typeof login>]>([
  ["it has no OpenID settings", { oidc: undefined as unknown as typeof oidc }],
  ["no manifest can have this: spec.issuer: an issuer must be a URL", { oidc: { ...oidc, issuer: "login" } }],
  [
    "no manifest can have this: spec.issuer: contains a character that cannot be seen",
    { oidc: { ...oidc, issuer: "https://login.example/\u2028spec:" } },
  ],
  ["no manifest can have this: spec.defaultRoleUid: ", { defaultRole: "" }],
  [
    "it carries the marker of another object of this owner",
    { description: withMarker("", markerOf(own, objectHash("IdentityProvider", "team", "by-hand"))) },
  ],
])("leaves a provider out, and opens its issuer to nobody: %s", (reason, changes) => {
  const tree = withProvider(changes);
  expect(exceptionsOf(tree).join()).toContain(`identity provider left out: ${reason}`);
  expect(tree.tenant.spec).toMatchObject({ kinds: ["Group"] });
  expect(tree.tenant.spec).not.toHaveProperty("claimIssuers");
  expect(tree.tenant.spec).not.toHaveProperty("roles");
});
