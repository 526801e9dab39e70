import { RE2JS } from "re2js";

/**
 * Issuers that give a token to anybody who registers, and subjects that strangers have there. Not listed: issuers with the
 * name or number of an organization in their URL, because their tokens are those of one organization.
 */
export const publicIssuers: Readonly<Record<string, readonly string[]>> = {
  // Continuous integration and deployment.
  "https://token.actions.githubusercontent.com": [
    "repo:a-stranger/a-stranger:ref:refs/heads/main",
    "repo:a-stranger/a-stranger:ref:refs/tags/v1.0.0",
    "repo:a-stranger/a-stranger:pull_request",
    "repo:a-stranger/a-stranger:environment:production",
  ],
  "https://gitlab.com": [
    "project_path:a-stranger/a-stranger:ref_type:branch:ref:main",
    "project_path:a-stranger/a-stranger:ref_type:tag:ref:v1.0.0",
  ],
  "https://agent.buildkite.com": [
    "organization:a-stranger:pipeline:a-stranger:ref:refs/heads/main:commit:0123456789abcdef0123456789abcdef01234567:step:deploy",
  ],
  "https://oidc.circleci.com": [
    "org/5f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f/project/6f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f/user/7f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f",
  ],
  "https://oidc.codefresh.io": ["account:0123456789abcdef01234567:pipeline:1123456789abcdef01234567"],
  "https://app.terraform.io": ["organization:a-stranger:project:a-stranger:workspace:a-stranger:run_phase:apply"],
  "https://api.pulumi.com/oidc": [
    "pulumi:deploy:org:a-stranger:project:a-stranger:stack:a-stranger:operation:update:scope:write",
  ],
  "https://oidc.vercel.com": ["owner:a-stranger:project:a-stranger:environment:production"],
  // Accounts of people, and of workloads whose tokens do not name an organization.
  "https://accounts.google.com": [],
  "https://appleid.apple.com": [],
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": [],
  "https://oauth2.sigstore.dev/auth": [],
  "https://issuer.hello.coop": [],
  "https://slack.com": [],
  "https://www.facebook.com": [],
  "https://www.linkedin.com/oauth": [],
};

/** Subjects that a stranger can have at any issuer: a word, a number, a UUID, a mail address, base64url, a path. */
export const anyStranger: readonly string[] = [
  "stranger",
  "108256421937560192837",
  "5f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f",
  "a-stranger@example.com",
  "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
  "a-stranger:a-stranger/a-stranger",
];

/** The fields of a claim match that decide who can assume an identity. */
export interface AcceptedClaims {
  readonly issuer?: string | undefined;
  readonly issuerPattern?: string | undefined;
  readonly subject?: string | undefined;
  readonly subjectPattern?: string | undefined;
  readonly claims?: Readonly<Record<string, string>> | undefined;
  readonly claimPatterns?: Readonly<Record<string, string>> | undefined;
}

/** @param additional issuers that the operator's settings add to the list. */
export function isPublicIssuer(issuer: string, additional: readonly string[] = []): boolean {
  return Object.hasOwn(publicIssuers, issuer) || additional.includes(issuer);
}

/**
 * The subject of a stranger's token that the claim match accepts, as an example; `undefined` if there is none. It is a
 * sample, not a proof: a pattern that excludes these strangers may include others. An issuer pattern counts as public,
 * because it may match an issuer that anybody can create. An audience does not restrict anybody: whoever requests a token
 * chooses it. Takes time linear in the length of the patterns.
 *
 * The admission policy `muster-public-issuers` is the same in CEL.
 *
 * @param additional issuers that the operator's settings add to the list.
 */
export function acceptedStranger(accepted: AcceptedClaims, additional: readonly string[] = []): string | undefined {
  const { issuer, issuerPattern, subject, subjectPattern, claims = {}, claimPatterns = {} } = accepted;
  if (subject !== undefined) return undefined;
  if (issuer !== undefined && !isPublicIssuer(issuer, additional)) return undefined;
  if (Object.keys(claims).length > 0) return undefined;
  if (Object.values(claimPatterns).some((pattern) => !anyStranger.some(matching(pattern)))) return undefined;
  const isAccepted = issuer === undefined ? matching(issuerPattern ?? ".*") : (listed: string) => listed === issuer;
  const strangers = Object.entries(publicIssuers).flatMap(([listed, subjects]) => (isAccepted(listed) ? subjects : []));
  return [...anyStranger, ...strangers].find(matching(subjectPattern ?? ".*"));
}

/** RE2, because an object's pattern must not be able to block the process. An invalid pattern matches nothing. */
function matching(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return () => false;
  }
}
