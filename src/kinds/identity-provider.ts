import { type IdentityProvider, identityProviderDefinition } from "#src/api/identity-provider.ts";
import {
  type ExternalIdentityProvider,
  identityProviders,
  listIdentityProviders,
} from "#src/platform-client/identity-providers.ts";
import { desiredName } from "./desired-name.ts";
import type { Fields } from "./fields.ts";
import { byMarker } from "./identification.ts";
import type { Kind } from "./kind.ts";
import { carriedMarker } from "./marker.ts";
import { parentReference } from "./parent-reference.ts";
import { roleReference } from "./role-reference.ts";
import { isSameIssuer } from "./same-issuer.ts";

export const identityProviderKind: Kind<IdentityProvider, ExternalIdentityProvider> = {
  name: "IdentityProvider",
  definition: identityProviderDefinition,
  collection: {
    ...identityProviders,
    listCapability: listIdentityProviders,
    authenticationFields: ["oidc"],
    issuing: null,
    naturalKeyOf: carriedMarker,
    nameOf: ({ name }) => name,
  },
  noun: "identity provider",
  identification: byMarker,
  refersTo: ["Group"],
  references: ({ spec }) => [
    parentReference("spec.groupRef", spec.groupRef, "spec.groupUid", spec.groupUid),
    {
      ...roleReference("spec.defaultRoleRef", spec.defaultRoleRef, "spec.defaultRoleUid", spec.defaultRoleUid),
      isMutable: true,
    },
  ],
  desired: (provider, uids) => {
    const { description, issuer, clientId, additionalScopes = [], groupsClaim = "", pkceEnabled } = provider.spec;
    return {
      ...desiredName(provider),
      ...(description === undefined ? {} : { description }),
      defaultRole: uids.role,
      // How people log in is managed as a whole: a scope, a claim or a secret that somebody adds changes who gets in.
      oidc: { issuer, clientId, additionalScopes, groupsClaim, pkceEnabled },
    };
  },
  nameOf: (provider) => desiredName(provider).name,
  actual: ({ name, description, defaultRole, oidc }) => ({ name, description, defaultRole, oidc }),
  identityOf: () => undefined,
  principal: null,
  bindable: null,
  vouching: {
    specPath: "spec.issuer",
    issuerOf: ({ spec }) => spec.issuer,
    otherPeople: ({ spec }, { oidc }) => [
      ...(oidc?.issuer === spec.issuer ? [] : [{ specPath: "spec.issuer", actual: oidc?.issuer ?? "" }]),
      ...(oidc?.clientId === spec.clientId ? [] : [{ specPath: "spec.clientId", actual: oidc?.clientId ?? "" }]),
    ],
    // Somebody who logged in has an identity with the client's audience. Who is logged in by another claim is unknown.
    vouchesFor: ({ spec }, { oidc }, { claimMatch: { issuer = "", audience = "" } = {} }) =>
      issuer !== "" &&
      [spec, oidc].some(
        (one) => isSameIssuer(one?.issuer ?? "", issuer) && (audience === "" || audience === one?.clientId),
      ),
  },
  secret: {
    field: "oidc",
    paths: ["oidc", "oidc.clientSecret"],
    specPath: "spec.clientSecretRef",
    referenceOf: ({ spec }) => spec.clientSecretRef,
    issuerOf: ({ spec }) => spec.issuer,
    withValue: (body, clientSecret) => ({ ...body, oidc: { ...(body["oidc"] as Fields), clientSecret } }),
    withoutValue: (fields, { oidc: actual }) => {
      const oidc = fields["oidc"] as NonNullable<ExternalIdentityProvider["oidc"]>;
      const removesSecret = actual?.issuer !== oidc.issuer;
      // The platform requires a secret or PKCE, and it may have no secret now.
      const pkceEnabled = oidc.pkceEnabled || removesSecret || actual.pkceEnabled;
      return { fields: { ...fields, oidc: { ...oidc, pkceEnabled } }, removesSecret };
    },
    updateTimeOf: ({ updateTime }) => updateTime,
  },
  linking: null,
  specPath: (field, { spec }) => {
    const path = field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (path === "defaultRole")
      return spec.defaultRoleUid === undefined ? "spec.defaultRoleRef" : "spec.defaultRoleUid";
    if (path === "oidc.clientSecret") return "spec.clientSecretRef";
    return `spec.${path.replace(/^oidc\./, "")}`;
  },
};
