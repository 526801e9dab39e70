import { inTeam, type RightRow, root, team, type WrongRow } from "./row.ts";

const oneGroup = "spec: Invalid value: set exactly one of groupRef and groupUid: an identity lives in one group";
const oneWay =
  "spec: Invalid value: set exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity: there is one way to assume an identity";
const oneIssuer =
  "spec.claimMatch: Invalid value: set exactly one of issuer and issuerPattern: a token is matched by who issued it";
const oneSubject =
  "spec.claimMatch: Invalid value: set exactly one of subject and subjectPattern: a token is matched by whom it was issued for";
const issuerUrl =
  "an issuer is a URL without query or fragment, exactly as in the token's iss, such as https://issuer.example.com";
const oneLine = "must be one line: no tabs and no line breaks";
const stays = (field: string) =>
  `spec.${field}: Forbidden: ${field} cannot be changed: the platform cannot move an identity. Delete this Identity and create it in the other group`;
const uidStays =
  "spec.uid: Forbidden: uid cannot be changed: delete this Identity (policy.deletion: Orphan keeps the identity) and create another";

const issuer = "https://issuer.example.com";
const claimMatch = { issuer, subject: "robot" };
const ofClaims = (change: object) => ({ groupUid: root, claimMatch: { ...claimMatch, ...change } });
const publicKey = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const staticKeys = {
  issuer,
  subject: "robot",
  issuerKeys: JSON.stringify({ keys: [publicKey] }),
  audiences: ["muster"],
};
const ofKeys = (change: object) => ({ groupUid: root, staticKeys: { ...staticKeys, ...change } });
const awsIdentity = { awsAccount: "123456789012", arnPattern: ".*/deploy/.*", userIdPattern: "AROA.*:ci" };
const ofAws = (change: object) => ({ groupUid: root, awsIdentity: { ...awsIdentity, ...change } });

export const wrong: readonly WrongRow[] = [
  { what: "an empty spec", spec: {}, refused: [oneGroup, oneWay] },
  { what: "no group", spec: { claimMatch }, refused: oneGroup },
  { what: "two groups", spec: { groupRef: { name: "team" }, groupUid: root, claimMatch }, refused: oneGroup },
  { what: "no way to assume it", spec: { groupUid: root }, refused: oneWay },
  {
    what: "two ways to assume it",
    spec: { groupUid: root, claimMatch, serviceAccountRef: { name: "robot" } },
    refused: oneWay,
  },
  { what: "three ways to assume it", spec: { groupUid: root, claimMatch, staticKeys, awsIdentity }, refused: oneWay },
  {
    what: "a name with an underscore at the platform, but capitals",
    spec: { groupUid: root, claimMatch, name: "CI_robot" },
    refused:
      'spec.name: Invalid value: "CI_robot": use only lowercase letters, digits, spaces and . _ - in a name, at least one',
  },
  {
    what: "an issuer without scheme",
    spec: ofClaims({ issuer: "issuer.example.com" }),
    refused: `spec.claimMatch.issuer: Invalid value: "issuer.example.com": ${issuerUrl}`,
  },
  {
    what: "an issuer with a query",
    spec: ofClaims({ issuer: `${issuer}?tenant=1` }),
    refused: `spec.claimMatch.issuer: Invalid value: "${issuer}?tenant=1": ${issuerUrl}`,
  },
  {
    what: "an issuer with a line break after it, from a YAML block",
    spec: ofClaims({ issuer: `${issuer}\n` }),
    refused: `spec.claimMatch.issuer: Invalid value: "${issuer}\\n": ${issuerUrl}`,
  },
  { what: "no issuer", spec: { groupUid: root, claimMatch: { subject: "robot" } }, refused: oneIssuer },
  { what: "an issuer and a pattern", spec: ofClaims({ issuerPattern: "https://.*" }), refused: oneIssuer },
  { what: "no subject", spec: { groupUid: root, claimMatch: { issuer } }, refused: oneSubject },
  { what: "a subject and a pattern", spec: ofClaims({ subjectPattern: "robot-.*" }), refused: oneSubject },
  {
    what: "an empty subject",
    spec: ofClaims({ subject: "" }),
    refused:
      'spec.claimMatch.subject: Invalid value: "": spec.claimMatch.subject in body should be at least 1 chars long',
  },
  {
    what: "a subject with a line break after it",
    spec: ofClaims({ subject: "robot\n" }),
    refused: `spec.claimMatch.subject: Invalid value: "robot\\n": ${oneLine}`,
  },
  {
    what: "an audience and a pattern",
    spec: ofClaims({ audience: "muster", audiencePattern: "muster.*" }),
    refused:
      "spec.claimMatch: Invalid value: set at most one of audience and audiencePattern: without either, the token service's host name is expected",
  },
  {
    what: "a list of audiences",
    spec: ofClaims({ audience: ["muster"] }),
    refused:
      'spec.claimMatch.audience: Invalid value: "array": spec.claimMatch.audience in body must be of type string: "array"',
  },
  {
    what: "a pattern that does not compile",
    spec: { groupUid: root, claimMatch: { issuer, subjectPattern: "repo:(example" } },
    refused:
      'spec.claimMatch.subjectPattern: Invalid value: "string": error parsing regexp: missing closing ): `repo:(example` evaluating rule: not a regular expression in RE2\'s syntax',
    seenBy: "API server",
  },
  {
    what: "a pattern that only other engines know",
    spec: { groupUid: root, claimMatch: { issuer, subjectPattern: "repo:(?!example)" } },
    refused:
      'spec.claimMatch.subjectPattern: Invalid value: "string": error parsing regexp: invalid or unsupported Perl syntax: `(?!` evaluating rule: not a regular expression in RE2\'s syntax',
    seenBy: "API server",
  },
  {
    what: "a claim that is a list",
    spec: ofClaims({ claims: { groups: ["a"] } }),
    refused:
      'spec.claimMatch.claims.groups: Invalid value: "array": spec.claimMatch.claims.groups in body must be of type string: "array"',
  },
  {
    what: "a claim that YAML reads as true",
    spec: ofClaims({ claims: { email_verified: true } }),
    refused:
      'spec.claimMatch.claims.email_verified: Invalid value: "boolean": spec.claimMatch.claims.email_verified in body must be of type string: "boolean"',
  },
  {
    what: "a claim without name",
    spec: ofClaims({ claims: { "": "a" } }),
    refused: "spec.claimMatch.claims: Invalid value: a claim has a name, of at most 256 characters",
  },
  {
    what: "too many claims",
    spec: ofClaims({ claims: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`c${i}`, "x"])) }),
    refused: "spec.claimMatch.claims: Too many: 33: must have at most 32 items",
  },
  {
    what: "a claim pattern that does not compile",
    spec: ofClaims({ claimPatterns: { ref: "*" } }),
    refused:
      'spec.claimMatch.claimPatterns[ref]: Invalid value: "string": error parsing regexp: missing argument to repetition operator: `*` evaluating rule: not a regular expression in RE2\'s syntax',
    seenBy: "API server",
  },
  {
    what: "a service account of another namespace",
    spec: { groupUid: root, serviceAccountRef: { name: "robot", namespace: "other" } },
    refused: 'unknown field "spec.serviceAccountRef.namespace"',
    seenBy: "API server",
  },
  {
    what: "a service account as its subject",
    spec: { groupUid: root, serviceAccountRef: { name: "system:serviceaccount:apps:robot" } },
    refused:
      "spec.serviceAccountRef.name: Invalid value: \"system:serviceaccount:apps:robot\": not a name of a Kubernetes object: use lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit",
  },
  {
    what: "keys without issuer",
    spec: { groupUid: root, staticKeys: { ...staticKeys, issuer: undefined } },
    refused: "spec.staticKeys.issuer: Required value",
  },
  {
    what: "no audience",
    spec: ofKeys({ audiences: [] }),
    refused: "spec.staticKeys.audiences: Invalid value: give exactly one audience",
  },
  {
    what: "two audiences",
    spec: ofKeys({ audiences: ["a", "b"] }),
    refused: "spec.staticKeys.audiences: Invalid value: give exactly one audience",
  },
  {
    what: "keys in PEM",
    spec: ofKeys({ issuerKeys: "-----BEGIN PUBLIC KEY-----" }),
    refused:
      'spec.staticKeys.issuerKeys: Invalid value: issuerKeys must be a JWKS document, a JSON object with a list "keys", as a string',
  },
  {
    what: "one key without the list",
    spec: ofKeys({ issuerKeys: JSON.stringify(publicKey) }),
    refused:
      'spec.staticKeys.issuerKeys: Invalid value: issuerKeys must be a JWKS document, a JSON object with a list "keys", as a string',
  },
  {
    what: "keys as YAML instead of a string",
    spec: ofKeys({ issuerKeys: { keys: [publicKey] } }),
    refused: 'unknown field "spec.staticKeys.issuerKeys.keys"',
  },
  {
    what: "a private key, which the answer does not repeat",
    spec: ofKeys({
      issuerKeys: JSON.stringify({ keys: [{ ...publicKey, d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A" }] }),
    }),
    refused:
      "spec.staticKeys.issuerKeys: Forbidden: issuerKeys holds a private or shared key: give public keys only, and replace that key, as it has been shown",
  },
  {
    what: "a day as expiration",
    spec: ofKeys({ expirationTime: "2027-01-31" }),
    refused:
      'spec.staticKeys.expirationTime: Invalid value: "2027-01-31": spec.staticKeys.expirationTime in body must be of type date-time: "2027-01-31"',
  },
  {
    what: "an AWS account that YAML reads as a number",
    spec: ofAws({ awsAccount: 123456789012 }),
    refused:
      'spec.awsIdentity.awsAccount: Invalid value: "integer": spec.awsIdentity.awsAccount in body must be of type string: "integer"',
  },
  {
    what: "an AWS account of 11 digits",
    spec: ofAws({ awsAccount: "12345678901" }),
    refused:
      'spec.awsIdentity.awsAccount: Invalid value: "12345678901": an AWS account is 12 digits, such as "123456789012"',
  },
  {
    what: "an ARN and a pattern",
    spec: ofAws({ arn: "arn:aws:iam::123456789012:role/ci" }),
    refused: "spec.awsIdentity: Invalid value: set exactly one of arn and arnPattern: a caller is matched by its ARN",
  },
  {
    what: "no user id",
    spec: ofAws({ userIdPattern: undefined }),
    refused:
      "spec.awsIdentity: Invalid value: set exactly one of userId and userIdPattern: a caller is matched by its unique id",
  },
  {
    what: "an existing identity of another group",
    spec: { groupUid: team, uid: `${root}/2222222222222222`, claimMatch },
    refused: "spec.uid: Invalid value: uid must be directly below groupUid: the same text, then '/' and 16 hex digits",
  },
  {
    what: "another groupUid",
    before: { groupUid: root, claimMatch },
    spec: { groupUid: team, claimMatch },
    refused: stays("groupUid"),
    seenBy: "API server",
  },
  {
    what: "another groupRef",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupRef: { name: "b" }, claimMatch },
    refused: stays("groupRef"),
    seenBy: "API server",
  },
  {
    what: "a groupRef that goes, a groupUid that comes",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupUid: root, claimMatch },
    refused: [stays("groupRef"), stays("groupUid")],
    seenBy: "API server",
  },
  {
    what: "a uid that comes",
    before: { groupRef: { name: "a" }, claimMatch },
    spec: { groupRef: { name: "a" }, claimMatch, uid: inTeam },
    refused: uidStays,
    seenBy: "API server",
  },
  {
    what: "a way to assume it that comes beside another",
    before: { groupUid: root, claimMatch },
    spec: { groupUid: root, claimMatch, awsIdentity },
    refused: oneWay,
    seenBy: "API server",
  },
];

export const right: readonly RightRow[] = [
  { what: "issuer and subject", spec: ofClaims({}) },
  {
    what: "a workload of GitHub",
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
    what: "patterns for all",
    spec: { groupUid: team, claimMatch: { issuerPattern: "https://.*", subjectPattern: ".+", audiencePattern: "a|b" } },
  },
  { what: "an issuer with port and path", spec: ofClaims({ issuer: "https://127.0.0.1:6443/realms/a/" }) },
  { what: "a service account", spec: { groupRef: { name: "team" }, serviceAccountRef: { name: "robot" } } },
  { what: "keys", spec: ofKeys({}) },
  { what: "keys with an end", spec: ofKeys({ expirationTime: "2027-01-31T12:00:00+01:00" }) },
  { what: "AWS patterns", spec: ofAws({}) },
  {
    what: "AWS values",
    spec: {
      groupUid: root,
      awsIdentity: { awsAccount: "123456789012", arn: "arn:aws:sts::123456789012:assumed-role/ci/x", userId: "AROA:x" },
    },
  },
  { what: "an existing identity", spec: { groupUid: team, uid: inTeam, claimMatch } },
  { what: "another subject", before: ofClaims({}), spec: ofClaims({ subject: "other" }) },
  {
    what: "another way to assume it",
    before: ofClaims({}),
    spec: { groupUid: root, serviceAccountRef: { name: "robot" } },
  },
];
