import { inTeam, type InvalidCase, otherRoot, root, team, type ValidCase } from "./case.ts";

const oneSelection = "spec: Invalid value: exactly one of namespaceSelector and namespaces must be set";
const emptySelector =
  "spec.namespaceSelector: Invalid value: namespaceSelector must have at least one label or expression. To select every namespace, use an expression such as {key: kubernetes.io/metadata.name, operator: Exists}";
const namespaceName =
  "must be the name of a namespace: lowercase letters, digits and '-', starting and ending with a letter or digit";
const notAUid =
  "must be a uid of the platform: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root";
const notInAGroup =
  "must be the uid of a resource in a group: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root, at least one";
const oneLine = "must be one line without tabs; in YAML, use quotes instead of | or >";
const kindName = "must be a kind of iam.muster.dev, such as Group";
const oneIssuer = "spec.claimIssuers[0]: Invalid value: exactly one of issuer and issuerPattern must be set";
const identityUid =
  "spec.credentials.identityUid: Invalid value: identityUid must be set if type is ServiceAccount, and not otherwise";
const classIsImmutable =
  "spec.class: Forbidden: class is immutable: it is part of the markers on the platform. Create another Tenant";
const className = "must be empty, or lowercase letters, digits and '-', starting and ending with a letter or digit";

const minimum = { namespaces: ["shop"] };
const issuer = "https://token.actions.githubusercontent.com";
const many = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const expression = (operator: string) => ({
  namespaceSelector: { matchExpressions: [{ key: "team", operator, values: ["shop"] }] },
});

export const invalid: readonly InvalidCase[] = [
  { what: "a missing spec", errors: "spec: Required value" },
  { what: "an empty spec", spec: {}, errors: oneSelection },
  {
    what: "both selections",
    spec: { ...minimum, namespaceSelector: { matchLabels: { team: "shop" } } },
    errors: oneSelection,
  },
  { what: "a selector of everything by accident", spec: { namespaceSelector: {} }, errors: emptySelector },
  {
    what: "a selector with empty lists",
    spec: { namespaceSelector: { matchLabels: {}, matchExpressions: [] } },
    errors: emptySelector,
  },
  {
    what: "an unknown operator",
    spec: expression("Gt"),
    errors:
      'spec.namespaceSelector.matchExpressions[0].operator: Unsupported value: "Gt": supported values: "In", "NotIn", "Exists", "DoesNotExist"',
  },
  {
    what: "33 labels",
    spec: { namespaceSelector: { matchLabels: Object.fromEntries(many(33).map((key) => [key, key])) } },
    errors: "spec.namespaceSelector.matchLabels: Too many: 33: must have at most 32 items",
  },
  {
    what: "a pattern of namespaces",
    spec: { namespaces: ["shop-*"] },
    errors: `spec.namespaces[0]: Invalid value: "shop-*": ${namespaceName}`,
  },
  {
    what: "the same namespace twice",
    spec: { namespaces: ["shop", "shop"] },
    errors: 'spec.namespaces[1]: Duplicate value: "shop"',
    rejectedBy: "API server",
  },
  {
    what: "257 namespaces",
    spec: { namespaces: many(257) },
    errors: "spec.namespaces: Too many: 257: must have at most 256 items",
  },
  {
    what: "the name of a group",
    spec: { ...minimum, groups: ["shop"] },
    errors: `spec.groups[0]: Invalid value: "shop": ${notAUid}`,
  },
  {
    what: "a group with a trailing slash",
    spec: { ...minimum, groups: [`${root}/`] },
    errors: `spec.groups[0]: Invalid value: "${root}/": ${notAUid}`,
  },
  {
    what: "a role that ends with a line break",
    spec: { ...minimum, roles: ["viewer\n"] },
    errors: `spec.roles[0]: Invalid value: "viewer\\n": ${oneLine}`,
  },
  {
    what: "an unknown type of identity",
    spec: { ...minimum, identityTypes: ["Password"] },
    errors:
      'spec.identityTypes[0]: Unsupported value: "Password": supported values: "ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"',
  },
  {
    what: "an AWS account of 11 digits",
    spec: { ...minimum, awsAccounts: ["12345678901"] },
    errors:
      'spec.awsAccounts[0]: Invalid value: "12345678901": an AWS account must be 12 digits, such as "123456789012"',
  },
  {
    what: "a Google Cloud project without its number",
    spec: { ...minimum, googleProjects: [{ projectId: "acme-shop" }] },
    errors: "spec.googleProjects[0].projectNumber: Required value",
  },
  {
    what: "the name of a GitHub organization",
    spec: { ...minimum, githubInstallations: ["acme"] },
    errors:
      'spec.githubInstallations[0]: Invalid value: "acme": must be 1 to 18 digits in quotes, without leading zeros',
  },
  {
    what: "an issuer as text",
    spec: { ...minimum, claimIssuers: [issuer] },
    errors:
      'spec.claimIssuers[0]: Invalid value: "string": spec.claimIssuers[0] in body must be of type object: "string"',
  },
  { what: "an empty issuer", spec: { ...minimum, claimIssuers: [{}] }, errors: oneIssuer },
  {
    what: "an issuer and a pattern of issuers",
    spec: { ...minimum, claimIssuers: [{ issuer, issuerPattern: "https://.*" }] },
    errors: oneIssuer,
  },
  {
    what: "no subject prefixes, as a list",
    spec: { ...minimum, claimIssuers: [{ issuer, subjectPrefixes: [] }] },
    errors:
      "spec.claimIssuers[0].subjectPrefixes: Invalid value: 0: spec.claimIssuers[0].subjectPrefixes in body should have at least 1 items",
  },
  {
    what: "no subjects, as a list",
    spec: { ...minimum, claimIssuers: [{ issuer, subjects: [] }] },
    errors:
      "spec.claimIssuers[0].subjects: Invalid value: 0: spec.claimIssuers[0].subjects in body should have at least 1 items",
  },
  {
    what: "a subject of two lines",
    spec: { ...minimum, claimIssuers: [{ issuer, subjects: ["a\nb"] }] },
    errors:
      'spec.claimIssuers[0].subjects[0]: Invalid value: "a\\nb": must be one line without tabs; in YAML, use quotes instead of | or >',
  },
  {
    what: "an empty subject prefix",
    spec: { ...minimum, claimIssuers: [{ issuer, subjectPrefixes: [""] }] },
    errors:
      'spec.claimIssuers[0].subjectPrefixes[0]: Invalid value: "": spec.claimIssuers[0].subjectPrefixes[0] in body should be at least 1 chars long',
  },
  {
    what: "65 issuers",
    spec: { ...minimum, claimIssuers: many(65).map((number) => ({ issuer: `https://${number}.example` })) },
    errors: "spec.claimIssuers: Too many: 65: must have at most 64 items",
  },
  {
    what: "the plural of a kind",
    spec: { ...minimum, kinds: ["groups"] },
    errors: `spec.kinds[0]: Invalid value: "groups": ${kindName}`,
  },
  {
    what: "the plural of a kind to adopt",
    spec: { ...minimum, adopt: ["groups"] },
    errors: `spec.adopt[0]: Invalid value: "groups": ${kindName}`,
  },
  {
    what: "an undeclared that only a Group has",
    spec: { ...minimum, undeclared: "Ignore" },
    errors: 'spec.undeclared: Unsupported value: "Ignore": supported values: "Report", "Remove"',
  },
  {
    what: "a group as an identity for emergencies",
    spec: { ...minimum, breakGlass: [root] },
    errors: `spec.breakGlass[0]: Invalid value: "${root}": ${notInAGroup}`,
  },
  {
    what: "a text for allowOrphan",
    spec: { ...minimum, allowOrphan: "yes" },
    errors: 'spec.allowOrphan: Invalid value: "string": spec.allowOrphan in body must be of type boolean: "string"',
  },
  {
    what: "a service account without an identity",
    spec: { ...minimum, credentials: { type: "ServiceAccount" } },
    errors: identityUid,
  },
  {
    what: "an identity with the operator's credentials",
    spec: { ...minimum, credentials: { identityUid: inTeam } },
    errors: identityUid,
  },
  {
    what: "credentials of another type",
    spec: { ...minimum, credentials: { type: "Secret" } },
    errors: 'spec.credentials.type: Unsupported value: "Secret": supported values: "Operator", "ServiceAccount"',
  },
  {
    what: "a URL of the platform",
    spec: { ...minimum, credentials: { type: "Operator", platformUrl: "https://platform.example" } },
    errors: 'unknown field "spec.credentials.platformUrl"',
    rejectedBy: "API server",
  },
  {
    what: "a class with capitals",
    spec: { ...minimum, class: "Blue" },
    errors: `spec.class: Invalid value: "Blue": ${className}`,
  },
  {
    what: "a changed class",
    before: { ...minimum, class: "blue" },
    spec: { ...minimum, class: "green" },
    errors: classIsImmutable,
    rejectedBy: "API server",
  },
  {
    what: "an added class",
    before: minimum,
    spec: { ...minimum, class: "green" },
    errors: classIsImmutable,
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "one namespace", spec: minimum },
  { what: "namespaces by label", spec: { namespaceSelector: { matchLabels: { "example.com/team": "shop" } } } },
  { what: "namespaces by expression", spec: expression("NotIn") },
  {
    what: "every namespace",
    spec: {
      namespaceSelector: { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "Exists" }] },
    },
  },
  {
    what: "everything that a Tenant can permit",
    spec: {
      namespaces: ["shop", "shop-ci"],
      groups: [team, otherRoot],
      roles: ["viewer", otherRoot],
      identityTypes: ["ServiceAccount", "ClaimMatch", "StaticKeys", "Aws"],
      awsAccounts: ["123456789012"],
      googleProjects: [{ projectId: "acme-shop", projectNumber: "123456789012" }],
      azureTenants: ["6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f"],
      githubInstallations: ["41234567"],
      claimIssuers: [
        { issuer, subjects: ["repo:acme/shop"], subjectPrefixes: ["repo:example/", "repo:example-labs/"] },
        { issuerPattern: "https://.*[.]example[.]com" },
      ],
      kinds: ["Group", "Identity", "RoleBinding"],
      adopt: ["Group"],
      undeclared: "Remove",
      breakGlass: [inTeam],
      allowOrphan: true,
      credentials: { type: "ServiceAccount", identityUid: inTeam },
      class: "blue",
    },
  },
  { what: "empty lists, which permit nothing", spec: { namespaces: [], groups: [], roles: [], identityTypes: [] } },
  { what: "256 namespaces", spec: { namespaces: many(256).map((number) => `n${number}`) } },
  { what: "a narrowed Tenant", before: { ...minimum, groups: [team, root] }, spec: { ...minimum, groups: [team] } },
  { what: "other namespaces", before: minimum, spec: { namespaceSelector: { matchLabels: { team: "shop" } } } },
];
