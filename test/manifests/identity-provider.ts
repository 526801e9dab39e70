import { inTeam, type InvalidCase, otherRoot, root, team, type ValidCase } from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const oneRole = "spec: Invalid value: exactly one of defaultRoleRef and defaultRoleUid must be set";
const login = { issuer: "https://login.example.com", clientId: "muster" };
const byRefs = { ...login, groupRef: { name: "team" }, defaultRoleRef: { name: "viewer" } };
const byUids = { ...login, groupUid: team, defaultRoleUid: otherRoot };
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: other people would log in. Delete this IdentityProvider and create another, with another name if both are to exist for a while`;
const fixedGroup = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: an identity provider cannot be moved. Delete this IdentityProvider and create it in the other group`;

export const invalid: readonly InvalidCase[] = [
  { what: "no group", spec: { ...byRefs, groupRef: undefined }, errors: oneGroup },
  { what: "two groups", spec: { ...byRefs, groupUid: root }, errors: oneGroup },
  { what: "no default role", spec: { ...byRefs, defaultRoleRef: undefined }, errors: oneRole },
  { what: "two default roles", spec: { ...byRefs, defaultRoleUid: otherRoot }, errors: oneRole },
  {
    what: "an issuer with a query",
    spec: { ...byRefs, issuer: "https://login.example.com?tenant=acme" },
    errors:
      'spec.issuer: Invalid value: "https://login.example.com?tenant=acme": an issuer must be a URL without query or fragment, identical to iss in the token, such as https://issuer.example.com',
  },
  {
    what: "neither a client secret nor PKCE",
    spec: { ...byRefs, pkceEnabled: false },
    errors:
      "spec.clientSecretRef: Invalid value: clientSecretRef must be set if pkceEnabled is false: otherwise nothing protects the login",
  },
  {
    what: "a client secret in the manifest",
    spec: { ...byRefs, clientSecret: "secret" },
    errors: 'unknown field "spec.clientSecret"',
    rejectedBy: "API server",
  },
  {
    what: "a Secret in another namespace",
    spec: { ...byRefs, clientSecretRef: { name: "sso", namespace: "other" } },
    errors: 'unknown field "spec.clientSecretRef.namespace"',
    rejectedBy: "API server",
  },
  {
    what: "a key with a slash",
    spec: { ...byRefs, clientSecretRef: { name: "sso", key: "a/b" } },
    errors:
      'spec.clientSecretRef.key: Invalid value: "a/b": a key of a Secret must be letters, digits and the characters - _ .',
  },
  {
    what: "the uid of an identity provider in another group",
    spec: { ...byUids, uid: `${root}/4444444444444444` },
    errors:
      "spec.uid: Invalid value: uid must be directly below groupUid: the value of groupUid, followed by '/' and 16 hex digits",
  },
  {
    what: "a changed issuer",
    before: byRefs,
    spec: { ...byRefs, issuer: "https://other.example.com" },
    errors: immutable("issuer"),
    rejectedBy: "API server",
  },
  {
    what: "a changed clientId",
    before: byRefs,
    spec: { ...byRefs, clientId: "other" },
    errors: immutable("clientId"),
    rejectedBy: "API server",
  },
  {
    what: "a changed groupUid",
    before: byUids,
    spec: { ...byUids, groupUid: root },
    errors: fixedGroup("groupUid"),
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "references", spec: byRefs },
  { what: "uids", spec: byUids },
  { what: "an existing identity provider", spec: { ...byUids, uid: inTeam } },
  {
    what: "everything",
    spec: {
      ...byRefs,
      groupRef: { name: "team", namespace: "teams" },
      name: "sso",
      description: "People of the team",
      clientSecretRef: { name: "sso", key: "client_secret" },
      additionalScopes: ["email", "groups"],
      groupsClaim: "groups",
      pkceEnabled: false,
      policy: { adoption: "IfExists", deletion: "Orphan", drift: "Report" },
    },
  },
  { what: "a changed default role", before: byRefs, spec: { ...byRefs, defaultRoleRef: { name: "editor" } } },
  {
    what: "a Secret that was added",
    before: byRefs,
    spec: { ...byRefs, clientSecretRef: { name: "sso" } },
  },
];
