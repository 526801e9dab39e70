import { RE2JS } from "re2js";
import { analyzePattern, type Beginning, mayMatch } from "./certain-pattern.ts";
import { comparableIssuer } from "./issuer-url.ts";
import type { PatternRefusal } from "./refused-pattern.ts";

/** An issuer that gives a token to anybody who registers. */
interface PublicIssuer {
  /** How the subjects of one organization begin: `*` is its name. Empty: a subject belongs to one account. */
  readonly owned: readonly string[];
  /** The claims that name an organization, or what only it has. Strangers can have each value of the others. Empty: not known. */
  readonly claims: readonly string[];
  /** Subjects of strangers, as examples. */
  readonly strangers: readonly string[];
}

const ofAccounts: PublicIssuer = { owned: [], claims: [], strangers: [] };

/**
 * The public issuers. Not listed: issuers with the name or number of an organization in their URL, because their tokens are
 * those of one organization.
 */
export const publicIssuers: Readonly<Record<string, PublicIssuer>> = {
  // Continuous integration and deployment.
  "https://token.actions.githubusercontent.com": {
    owned: ["repo:*/", "repository:*/", "repository_id:*:", "repository_owner:*:", "repository_owner_id:*:"],
    claims: ["repository", "repository_id", "repository_owner", "repository_owner_id", "enterprise", "enterprise_id"],
    strangers: [
      "repo:a-stranger/a-stranger:ref:refs/heads/main",
      "repo:a-stranger/a-stranger:ref:refs/tags/v1.0.0",
      "repo:a-stranger/a-stranger:pull_request",
      "repo:a-stranger/a-stranger:environment:production",
    ],
  },
  "https://gitlab.com": {
    owned: ["project_path:*/"],
    claims: ["namespace_id", "namespace_path", "project_id", "project_path"],
    strangers: [
      "project_path:a-stranger/a-stranger:ref_type:branch:ref:main",
      "project_path:a-stranger/a-stranger:ref_type:tag:ref:v1.0.0",
    ],
  },
  "https://agent.buildkite.com": {
    owned: ["organization:*:"],
    claims: ["organization_id", "organization_slug", "pipeline_id"],
    strangers: [
      "organization:a-stranger:pipeline:a-stranger:ref:refs/heads/main:commit:0123456789abcdef0123456789abcdef01234567:step:deploy",
    ],
  },
  "https://oidc.circleci.com": {
    owned: ["org/*/"],
    claims: ["oidc.circleci.com/project-id"],
    strangers: [
      "org/5f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f/project/6f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f/user/7f1d7a2c-8b3e-4c6d-9e0f-1a2b3c4d5e6f",
    ],
  },
  "https://oidc.codefresh.io": {
    owned: ["account:*:"],
    claims: ["account_id", "account_name", "pipeline_id"],
    strangers: ["account:0123456789abcdef01234567:pipeline:1123456789abcdef01234567"],
  },
  "https://app.terraform.io": {
    owned: ["organization:*:"],
    claims: [
      "terraform_organization_id",
      "terraform_organization_name",
      "terraform_project_id",
      "terraform_workspace_id",
    ],
    strangers: ["organization:a-stranger:project:a-stranger:workspace:a-stranger:run_phase:apply"],
  },
  "https://api.pulumi.com/oidc": {
    owned: ["pulumi:deploy:org:*:"],
    claims: [],
    strangers: ["pulumi:deploy:org:a-stranger:project:a-stranger:stack:a-stranger:operation:update:scope:write"],
  },
  "https://oidc.vercel.com": {
    owned: ["owner:*:"],
    claims: ["owner", "owner_id", "project_id"],
    strangers: ["owner:a-stranger:project:a-stranger:environment:production"],
  },
  // Accounts of people, and of workloads whose tokens do not name an organization.
  "https://accounts.google.com": ofAccounts,
  "https://appleid.apple.com": ofAccounts,
  "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0": ofAccounts,
  "https://oauth2.sigstore.dev/auth": ofAccounts,
  "https://issuer.hello.coop": ofAccounts,
  "https://slack.com": ofAccounts,
  "https://www.facebook.com": ofAccounts,
  "https://www.linkedin.com/oauth": ofAccounts,
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

/** How strangers can assume an identity, as far as it can be said. */
export interface OpenAccess {
  /** A stranger's subject that the pattern matches, as an example. */
  readonly example: string | undefined;
  /** Why it is not certain what the pattern matches. */
  readonly refusal: PatternRefusal | undefined;
}

/** @param additional issuers that the operator's settings add to the list. */
export function isPublicIssuer(issuer: string, additional: readonly string[] = []): boolean {
  const name = comparableIssuer(issuer);
  return [...Object.keys(publicIssuers), ...additional].some((one) => comparableIssuer(one) === name);
}

/**
 * How strangers can assume an identity with this claim match; undefined if it is certain that they cannot: every match of the
 * subject pattern begins with the name of an organization, where the form of the issuer's subjects is known, and otherwise with
 * some text. An issuer pattern counts as public, because it may match an issuer that anybody can create. An audience does not
 * restrict anybody: whoever requests a token chooses it. A claim does, if its value, or with what it begins, is certain, and no
 * stranger can have it, as far as the claims of the issuer are known.
 * Takes time linear in the length of the patterns.
 *
 * The admission policy `muster-public-issuers` is the same in CEL, for patterns of a simple form; of others it warns.
 *
 * @param additional issuers that the operator's settings add to the list.
 */
export function findOpenAccess(accepted: AcceptedClaims, additional: readonly string[] = []): OpenAccess | undefined {
  const { issuer, issuerPattern, subject, subjectPattern = ".*", claims = {}, claimPatterns = {} } = accepted;
  if (subject !== undefined) return undefined;
  if (issuer !== undefined && !isPublicIssuer(issuer, additional)) return undefined;
  const accepts = (listed: string) =>
    issuer === undefined
      ? mayMatch(issuerPattern ?? ".*", listed)
      : comparableIssuer(listed) === comparableIssuer(issuer);
  const listed = Object.entries(publicIssuers).flatMap(([one, facts]) => (accepts(one) ? [facts] : []));
  const known = listed.flatMap((one) => one.claims);
  const isRestricted = (claim: string) => known.length === 0 || known.includes(claim);
  if (Object.keys(claims).some(isRestricted)) return undefined;
  if (
    Object.entries(claimPatterns).some(
      ([claim, pattern]) => isRestricted(claim) && findOpening(pattern, [anyOwner], anyStranger) === undefined,
    )
  )
    return undefined;
  const owners = listed.map(
    ({ owned }) =>
      (text: string) =>
        owned.some((form) => isOwned(text, form)),
  );
  const strangers = [...anyStranger, ...listed.flatMap((one) => one.strangers)];
  return findOpening(subjectPattern, owners.length === 0 ? [anyOwner] : owners, strangers);
}

/** Whether a text with which subjects begin names who they belong to. */
type Owner = (text: string) => boolean;

/** Of the subjects of an issuer that is not listed, nobody knows which part names an organization. */
const anyOwner: Owner = (text) => text !== "";

/** @param form such as `repo:*` followed by a slash. */
function isOwned(text: string, form: string): boolean {
  const [before = "", after = ""] = form.split("*");
  return text.startsWith(before) && text.indexOf(after, before.length) > before.length;
}

/** How a pattern accepts what strangers have; undefined if it certainly does not. */
function findOpening(pattern: string, owners: readonly Owner[], strangers: readonly string[]): OpenAccess | undefined {
  const example = strangers.find(matching(pattern));
  const analysis = analyzePattern(pattern);
  if (analysis.is === "refused") return { example, refusal: analysis.refusal };
  const isCertain = ({ text, isWhole }: Beginning) => isWhole || owners.every((isNamed) => isNamed(text));
  return example === undefined && analysis.beginnings.every(isCertain) ? undefined : { example, refusal: undefined };
}

/** RE2, because an object's pattern must not be able to block the process. An invalid pattern has no example. */
function matching(pattern: string): (text: string) => boolean {
  try {
    const compiled = RE2JS.compile(pattern);
    return (text) => compiled.matches(text);
  } catch {
    return () => false;
  }
}
