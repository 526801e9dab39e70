import { inTeam, type InvalidCase, notATime, root, team, type ValidCase } from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const oneMethod =
  "spec: Invalid value: exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity must be set";
const oneIssuer = "spec.claimMatch: Invalid value: exactly one of issuer and issuerPattern must be set";
const oneSubject = "spec.claimMatch: Invalid value: exactly one of subject and subjectPattern must be set";
const issuerUrl =
  "an issuer must be a URL without query or fragment, identical to iss in the token, such as https://issuer.example.com";
const oneLine = "must be one line without tabs; in YAML, use quotes instead of | or >";
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: an identity cannot be moved. Delete this Identity and create it in the other group`;
const uidIsImmutable =
  "spec.uid: Forbidden: uid is immutable: delete this Identity (policy.deletion: Orphan keeps the identity on the platform) and create another";

const issuer = "https://issuer.example.com";
const claimMatch = { issuer, subject: "robot" };
const withClaimMatch = (change: object) => ({ groupUid: root, claimMatch: { ...claimMatch, ...change } });
const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const staticKeys = {
  issuer,
  subject: "robot",
  issuerKeys: JSON.stringify({ keys: [publicKey] }),
  audiences: ["muster"],
};
const withStaticKeys = (change: object) => ({ groupUid: root, staticKeys: { ...staticKeys, ...change } });
const awsIdentity = { awsAccount: "123456789012", arnPattern: ".*/deploy/.*", userIdPattern: "AROA.*:ci" };
const withAwsIdentity = (change: object) => ({ groupUid: root, awsIdentity: { ...awsIdentity, ...change } });

export const invalid: readonly InvalidCase[] = [
  { what: "an empty spec", spec: {}, errors: [oneGroup, oneMethod] },
  { what: "no group", spec: { claimMatch }, errors: oneGroup },
  { what: "two groups", spec: { groupRef: { name: "team" }, groupUid: root, claimMatch }, errors: oneGroup },
  { what: "no authentication method", spec: { groupUid: root }, errors: oneMethod },
  {
    what: "two authentication methods",
    spec: { groupUid: root, claimMatch, serviceAccountRef: { name: "robot" } },
    errors: oneMethod,
  },
  {
    what: "three authentication methods",
    spec: { groupUid: root, claimMatch, staticKeys, awsIdentity },
    errors: oneMethod,
  },
  {
    what: "a name with capitals",
    spec: { groupUid: root, claimMatch, name: "CI_robot" },
    errors:
      'spec.name: Invalid value: "CI_robot": a name must be lowercase letters, digits, spaces and the characters . _ -, at least one of them',
  },
  {
    what: "an issuer without a scheme",
    spec: withClaimMatch({ issuer: "issuer.example.com" }),
    errors: `spec.claimMatch.issuer: Invalid value: "issuer.example.com": ${issuerUrl}`,
  },
  {
    what: "an issuer with a query",
    spec: withClaimMatch({ issuer: `${issuer}?tenant=1` }),
    errors: `spec.claimMatch.issuer: Invalid value: "${issuer}?tenant=1": ${issuerUrl}`,
  },
  {
    what: "an issuer that ends with a line break, as from a YAML block",
    spec: withClaimMatch({ issuer: `${issuer}\n` }),
    errors: `spec.claimMatch.issuer: Invalid value: "${issuer}\\n": ${issuerUrl}`,
  },
  { what: "no issuer", spec: { groupUid: root, claimMatch: { subject: "robot" } }, errors: oneIssuer },
  { what: "an issuer and an issuerPattern", spec: withClaimMatch({ issuerPattern: "https://.*" }), errors: oneIssuer },
  { what: "no subject", spec: { groupUid: root, claimMatch: { issuer } }, errors: oneSubject },
  { what: "a subject and a subjectPattern", spec: withClaimMatch({ subjectPattern: "robot-.*" }), errors: oneSubject },
  {
    what: "an empty subject",
    spec: withClaimMatch({ subject: "" }),
    errors:
      'spec.claimMatch.subject: Invalid value: "": spec.claimMatch.subject in body should be at least 1 chars long',
  },
  {
    what: "a subject that ends with a line break",
    spec: withClaimMatch({ subject: "robot\n" }),
    errors: `spec.claimMatch.subject: Invalid value: "robot\\n": ${oneLine}`,
  },
  {
    what: "an audience and an audiencePattern",
    spec: withClaimMatch({ audience: "muster", audiencePattern: "muster.*" }),
    errors: "spec.claimMatch: Invalid value: at most one of audience and audiencePattern may be set",
  },
  {
    what: "a list of audiences",
    spec: withClaimMatch({ audience: ["muster"] }),
    errors:
      'spec.claimMatch.audience: Invalid value: "array": spec.claimMatch.audience in body must be of type string: "array"',
  },
  {
    what: "a pattern that does not compile",
    spec: { groupUid: root, claimMatch: { issuer, subjectPattern: "repo:(example" } },
    errors:
      'spec.claimMatch.subjectPattern: Invalid value: "string": error parsing regexp: missing closing ): `repo:(example` evaluating rule: must be a regular expression in RE2 syntax, which has no lookaround and no backreferences',
    rejectedBy: "API server",
  },
  {
    what: "a pattern that only other engines support",
    spec: { groupUid: root, claimMatch: { issuer, subjectPattern: "repo:(?!example)" } },
    errors:
      'spec.claimMatch.subjectPattern: Invalid value: "string": error parsing regexp: invalid or unsupported Perl syntax: `(?!` evaluating rule: must be a regular expression in RE2 syntax, which has no lookaround and no backreferences',
    rejectedBy: "API server",
  },
  {
    what: "a pattern that ends with a line break",
    spec: { groupUid: root, claimMatch: { issuer, subjectPattern: "repo:example/.*\n" } },
    errors: `spec.claimMatch.subjectPattern: Invalid value: "repo:example/.*\\n": ${oneLine}`,
  },
  {
    what: "a claim that is a list",
    spec: withClaimMatch({ claims: { groups: ["a"] } }),
    errors:
      'spec.claimMatch.claims.groups: Invalid value: "array": spec.claimMatch.claims.groups in body must be of type string: "array"',
  },
  {
    what: "a claim that YAML parses as a boolean",
    spec: withClaimMatch({ claims: { email_verified: true } }),
    errors:
      'spec.claimMatch.claims.email_verified: Invalid value: "boolean": spec.claimMatch.claims.email_verified in body must be of type string: "boolean"',
  },
  {
    what: "a claim with an empty name",
    spec: withClaimMatch({ claims: { "": "a" } }),
    errors: "spec.claimMatch.claims: Invalid value: the name of a claim must have 1 to 256 characters",
  },
  {
    what: "too many claims",
    spec: withClaimMatch({ claims: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, "x"])) }),
    errors: "spec.claimMatch.claims: Too many: 33: must have at most 32 items",
  },
  {
    what: "a claim pattern that does not compile",
    spec: withClaimMatch({ claimPatterns: { ref: "*" } }),
    errors:
      'spec.claimMatch.claimPatterns[ref]: Invalid value: "string": error parsing regexp: missing argument to repetition operator: `*` evaluating rule: must be a regular expression in RE2 syntax, which has no lookaround and no backreferences',
    rejectedBy: "API server",
  },
  {
    what: "a service account in another namespace",
    spec: { groupUid: root, serviceAccountRef: { name: "robot", namespace: "other" } },
    errors: 'unknown field "spec.serviceAccountRef.namespace"',
    rejectedBy: "API server",
  },
  {
    what: "the subject of a service account as its name",
    spec: { groupUid: root, serviceAccountRef: { name: "system:serviceaccount:apps:robot" } },
    errors:
      "spec.serviceAccountRef.name: Invalid value: \"system:serviceaccount:apps:robot\": must be the name of a Kubernetes object: lowercase letters, digits, '-' and '.', starting and ending with a letter or digit",
  },
  {
    what: "an empty audience of a service account",
    spec: { groupUid: root, serviceAccountRef: { name: "robot", audience: "" } },
    errors:
      'spec.serviceAccountRef.audience: Invalid value: "": spec.serviceAccountRef.audience in body should be at least 1 chars long',
  },
  {
    what: "an audience of a service account that ends with a line break",
    spec: { groupUid: root, serviceAccountRef: { name: "robot", audience: "muster\n" } },
    errors: `spec.serviceAccountRef.audience: Invalid value: "muster\\n": ${oneLine}`,
  },
  {
    what: "an allowed namespace that is a pattern",
    spec: { groupUid: root, claimMatch, allowedNamespaces: ["*"] },
    errors:
      "spec.allowedNamespaces[0]: Invalid value: \"*\": must be the name of a namespace: lowercase letters, digits and '-', starting and ending with a letter or digit",
  },
  {
    what: "two authentication methods of an observed identity",
    spec: {
      groupUid: root,
      claimMatch,
      serviceAccountRef: { name: "robot" },
      policy: { management: "Observe" },
    },
    errors: oneMethod,
  },
  {
    what: "an observed identity without a method that becomes managed",
    before: { groupUid: team, uid: inTeam, policy: { management: "Observe" } },
    spec: { groupUid: team, uid: inTeam },
    errors: oneMethod,
    rejectedBy: "API server",
  },
  {
    what: "static keys without an issuer",
    spec: { groupUid: root, staticKeys: { ...staticKeys, issuer: undefined } },
    errors: "spec.staticKeys.issuer: Required value",
  },
  {
    what: "no audience",
    spec: withStaticKeys({ audiences: [] }),
    errors:
      "spec.staticKeys.audiences: Invalid value: audiences must have exactly one item, or be absent for the platform's default",
  },
  {
    what: "two audiences",
    spec: withStaticKeys({ audiences: ["a", "b"] }),
    errors:
      "spec.staticKeys.audiences: Invalid value: audiences must have exactly one item, or be absent for the platform's default",
  },
  {
    what: "static keys in PEM",
    spec: withStaticKeys({ issuerKeys: "-----BEGIN PUBLIC KEY-----" }),
    errors:
      'spec.staticKeys.issuerKeys: Invalid value: issuerKeys must be a JWKS document as a string: a JSON object with a list named "keys"',
  },
  {
    what: "a single JWK instead of a JWKS",
    spec: withStaticKeys({ issuerKeys: JSON.stringify(publicKey) }),
    errors:
      'spec.staticKeys.issuerKeys: Invalid value: issuerKeys must be a JWKS document as a string: a JSON object with a list named "keys"',
  },
  {
    what: "static keys as YAML instead of a string",
    spec: withStaticKeys({ issuerKeys: { keys: [publicKey] } }),
    errors: 'unknown field "spec.staticKeys.issuerKeys.keys"',
  },
  {
    what: "a private key, without quoting it in the response",
    spec: withStaticKeys({
      issuerKeys: JSON.stringify({ keys: [{ ...publicKey, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" }] }),
    }),
    errors:
      "spec.staticKeys.issuerKeys: Forbidden: issuerKeys must not contain a private or symmetric key. Use public keys only, and replace the leaked key",
  },
  {
    what: "a private key whose member's name is escaped",
    spec: withStaticKeys({
      issuerKeys: JSON.stringify({
        keys: [{ ...publicKey, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" }],
      }).replace('"d"', '"\\u0064"'),
    }),
    errors:
      "spec.staticKeys.issuerKeys: Forbidden: issuerKeys must not contain a private or symmetric key. Use public keys only, and replace the leaked key",
  },
  ...["2027-01-31", "2026-11-23T19:00:00+24:00"].map((expirationTime) => ({
    what: `an expirationTime that is not a time: ${expirationTime}`,
    spec: withStaticKeys({ expirationTime }),
    errors: `spec.staticKeys.expirationTime: Invalid value: "${expirationTime}": ${notATime}`,
  })),
  {
    what: "an AWS account that YAML parses as a number",
    spec: withAwsIdentity({ awsAccount: 123456789012 }),
    errors:
      'spec.awsIdentity.awsAccount: Invalid value: "integer": spec.awsIdentity.awsAccount in body must be of type string: "integer"',
  },
  {
    what: "an AWS account of 11 digits",
    spec: withAwsIdentity({ awsAccount: "12345678901" }),
    errors:
      'spec.awsIdentity.awsAccount: Invalid value: "12345678901": an AWS account must be 12 digits, such as "123456789012"',
  },
  {
    what: "an ARN and an arnPattern",
    spec: withAwsIdentity({ arn: "arn:aws:iam::123456789012:role/ci" }),
    errors: "spec.awsIdentity: Invalid value: exactly one of arn and arnPattern must be set",
  },
  {
    what: "no userId",
    spec: withAwsIdentity({ userIdPattern: undefined }),
    errors: "spec.awsIdentity: Invalid value: exactly one of userId and userIdPattern must be set",
  },
  {
    what: "the uid of an identity in another group",
    spec: { groupUid: team, uid: `${root}/2222222222222222`, claimMatch },
    errors:
      "spec.uid: Invalid value: uid must be directly below groupUid: the value of groupUid, followed by '/' and 16 hex digits",
  },
  {
    what: "a changed groupUid",
    before: { groupUid: root, claimMatch },
    spec: { groupUid: team, claimMatch },
    errors: immutable("groupUid"),
    rejectedBy: "API server",
  },
  {
    what: "a changed groupRef",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupRef: { name: "b" }, claimMatch },
    errors: immutable("groupRef"),
    rejectedBy: "API server",
  },
  {
    what: "a groupRef replaced with a groupUid",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupUid: root, claimMatch },
    errors: [immutable("groupRef"), immutable("groupUid")],
    rejectedBy: "API server",
  },
  {
    what: "an added uid",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupRef: { name: "a" }, claimMatch, uid: inTeam },
    errors: uidIsImmutable,
    rejectedBy: "API server",
  },
  {
    what: "an added second authentication method",
    before: { groupUid: root, claimMatch },
    spec: { groupUid: root, claimMatch, awsIdentity },
    errors: oneMethod,
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "issuer and subject", spec: withClaimMatch({}) },
  {
    what: "a GitHub Actions workload",
    spec: {
      groupRef: { name: "team" },
      name: "ci",
      description: "Builds of the shop",
      claimMatch: {
        issuer: "https://token.actions.githubusercontent.com",
        subjectPattern: "repo:example/shop:.*",
        audience: "muster.example.com",
        claims: { repository_owner: "example" },
        claimPatterns: { ref: "refs/heads/(main|release-[0-9]+)" },
      },
    },
  },
  {
    what: "a pattern for each claim",
    spec: { groupUid: team, claimMatch: { issuerPattern: "https://.*", subjectPattern: ".+", audiencePattern: "a|b" } },
  },
  {
    what: "patterns that let in few",
    spec: {
      groupUid: team,
      claimMatch: {
        issuerPattern: "https://ci-[a-z]+\\.example\\.com",
        subjectPattern: "team-[a-z]+",
        audiencePattern: "muster-[a-z]+",
      },
    },
  },
  {
    what: "a group in another namespace",
    spec: { groupRef: { name: "team", namespace: "teams" }, claimMatch },
  },
  { what: "an issuer with port and path", spec: withClaimMatch({ issuer: "https://127.0.0.1:6443/realms/a/" }) },
  { what: "a service account", spec: { groupRef: { name: "team" }, serviceAccountRef: { name: "robot" } } },
  {
    what: "an audience of a service account",
    spec: { groupRef: { name: "team" }, serviceAccountRef: { name: "robot", audience: "muster.example.com" } },
  },
  {
    what: "an observed identity without an authentication method",
    spec: { groupUid: team, uid: inTeam, policy: { management: "Observe" } },
  },
  { what: "namespaces of other Tenants", spec: { groupUid: team, claimMatch, allowedNamespaces: ["shop"] } },
  { what: "static keys", spec: withStaticKeys({}) },
  { what: "static keys without an audience", spec: withStaticKeys({ audiences: undefined }) },
  { what: "static keys with an expirationTime", spec: withStaticKeys({ expirationTime: "2027-01-31T12:00:00+01:00" }) },
  { what: "AWS patterns", spec: withAwsIdentity({}) },
  {
    what: "exact AWS values",
    spec: {
      groupUid: root,
      awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:sts::123456789012:assumed-role/ci/x", userId: "AROA:x" },
    },
  },
  { what: "an existing identity", spec: { groupUid: team, uid: inTeam, claimMatch } },
  { what: "a changed subject", before: withClaimMatch({}), spec: withClaimMatch({ subject: "other" }) },
  {
    what: "a changed authentication method",
    before: withClaimMatch({}),
    spec: { groupUid: root, serviceAccountRef: { name: "robot" } },
  },
];
