import { analyzePattern, mayMatch, type PatternAnalysis } from "#src/api/certain-pattern.ts";
import type { Authentication } from "#src/api/identity.ts";
import { mayBeSameIssuer } from "#src/api/issuer-url.ts";
import { isPublicIssuer } from "#src/api/public-issuers.ts";
import { refusalText } from "#src/api/refused-pattern.ts";
import type { IdentityType } from "#src/api/tenant.ts";
import type { Boundary } from "./boundary.ts";
import { type Denial, denial, useOrAsk } from "./denial.ts";

/** What the limits on who may assume an identity depend on, in addition to the Tenant. */
export interface IdentityContext {
  /** The namespace of the Identity. */
  readonly namespace: string;
  /** The issuer of the cluster's service-account tokens. */
  readonly clusterIssuer: string;
  /** Whether an identity for a service account is given the keys of the cluster's tokens. */
  readonly uploadsKeys: boolean;
  /** Issuers at which anybody can have an account, in addition to the built-in list. */
  readonly publicIssuers: readonly string[];
}

interface NamedIssuer {
  readonly issuer?: string;
  readonly issuerPattern?: string;
}
interface NamedSubject {
  readonly subject?: string;
  readonly subjectPattern?: string;
}
type ClaimIssuer = NonNullable<Boundary["claimIssuers"]>[number];

/** The type that a Tenant must allow, by the field of the spec. */
const typeOf: Readonly<Record<keyof Authentication, IdentityType>> = {
  serviceAccountRef: "ServiceAccount",
  claimMatch: "ClaimMatch",
  staticKeys: "StaticKeys",
  awsIdentity: "Aws",
};

/**
 * Why a Tenant does not permit that an identity is assumed in this way; undefined if it does. Everything that the Tenant
 * does not list is denied.
 *
 * The cluster's own issuer vouches for the service accounts of every namespace. It is permitted for `serviceAccountRef`,
 * whose subject is in the namespace of the object. Where a Tenant lists it for `claimMatch`, subjects of other namespaces
 * have to be in the list, or need a prefix there. Static keys never stand for it.
 */
export function findIdentityDenial(
  authentication: Authentication,
  boundary: Boundary,
  context: IdentityContext,
): Denial | undefined {
  const { claimMatch, serviceAccountRef, staticKeys, awsIdentity } = authentication;
  for (const [field, type] of Object.entries(typeOf) as [keyof Authentication, IdentityType][])
    if (authentication[field] !== undefined && !boundary.identityTypes.includes(type))
      return denial(
        `spec.${field}`,
        `the Tenant does not allow identities of the type ${type}. ${useOrAsk(boundary.identityTypes, "spec.identityTypes")}`,
      );
  if (serviceAccountRef !== undefined)
    return !context.uploadsKeys || boundary.identityTypes.includes("StaticKeys")
      ? undefined
      : denial(
          "spec.serviceAccountRef",
          "the operator uploads the keys of this cluster's service accounts, for which the Tenant must allow the type StaticKeys. Ask an administrator to add it to spec.identityTypes of the Tenant.",
        );
  if (claimMatch !== undefined) return findClaimDenial("spec.claimMatch", claimMatch, boundary, context);
  if (staticKeys !== undefined) {
    if (mayBeSameIssuer(staticKeys.issuer, context.clusterIssuer))
      return denial(
        "spec.staticKeys.issuer",
        "is the issuer of this cluster's service accounts, which no other keys may stand for. Use spec.serviceAccountRef.",
      );
    return findClaimDenial("spec.staticKeys", staticKeys, boundary, context);
  }
  const { awsAccounts } = boundary;
  if (awsIdentity === undefined || awsAccounts === null || awsAccounts.includes(awsIdentity.awsAccount))
    return undefined;
  return denial(
    "spec.awsIdentity.awsAccount",
    `the Tenant does not allow the AWS account ${awsIdentity.awsAccount}. ${useOrAsk(awsAccounts, "spec.awsAccounts")}`,
  );
}

function findClaimDenial(
  path: string,
  claims: NamedIssuer & NamedSubject,
  { claimIssuers }: Boundary,
  context: IdentityContext,
): Denial | undefined {
  if (claimIssuers === null) return undefined;
  const field = claims.issuerPattern === undefined ? "issuer" : "issuerPattern";
  const entries = claimIssuers.filter((entry) => entry[field] !== undefined && entry[field] === claims[field]);
  if (entries.length === 0) {
    const known = claimIssuers.flatMap((entry) => entry[field] ?? []);
    return denial(
      `${path}.${field}`,
      field === "issuer"
        ? `the Tenant does not allow the issuer ${claims.issuer ?? ""}. ${useOrAsk(known, "spec.claimIssuers")}`
        : `the Tenant does not allow this pattern of issuers: it must list the same text. ${useOrAsk(known, "spec.claimIssuers")}`,
    );
  }
  // One entry that permits the subject is enough. There may be dozens, each with dozens of subjects: only a denial names them.
  const limits = entries.map((entry) => limitsOf(claims, entry, context));
  if (limits.some((one) => permitsSubject(claims, one, context))) return undefined;
  return subjectDenial(path, claims, limits[0]);
}

/**
 * Why a Tenant does not permit that everybody for whom `issuer` vouches is let in: it does not list the issuer, or only for
 * some subjects, which nothing enforces then.
 */
export function findIssuerDenial(path: string, issuer: string, { claimIssuers }: Boundary): Denial | undefined {
  if (claimIssuers === null) return undefined;
  const entries = claimIssuers.filter((entry) => entry.issuer === issuer);
  if (entries.some(allowsEverySubject)) return undefined;
  if (entries.length > 0)
    return denial(
      path,
      "the Tenant allows only some subjects of this issuer (subjects and subjectPrefixes in spec.claimIssuers), and this lets everybody in. Ask an administrator to list the issuer without these.",
    );
  const known = claimIssuers.flatMap((entry) => (allowsEverySubject(entry) ? (entry.issuer ?? []) : []));
  return denial(path, `the Tenant does not allow the issuer ${issuer}. ${useOrAsk(known, "spec.claimIssuers")}`);
}

/** The subjects that an entry of a Tenant allows. */
interface SubjectLimits {
  readonly subjects: readonly string[];
  /** Of other subjects, and of every match of a pattern. */
  readonly prefixes: readonly string[];
  /** Whether they are limited because the issuer may be that of the cluster's service accounts. */
  readonly isClusters?: true;
}

function allowsEverySubject({ subjects, subjectPrefixes }: ClaimIssuer): boolean {
  return subjects === undefined && subjectPrefixes === undefined;
}

/** Undefined if every subject is allowed. */
function limitsOf(
  { issuer, issuerPattern }: NamedIssuer,
  entry: ClaimIssuer,
  { namespace, clusterIssuer }: IdentityContext,
): SubjectLimits | undefined {
  const { subjects = [], subjectPrefixes: prefixes = [] } = entry;
  if (!allowsEverySubject(entry)) return { subjects, prefixes };
  const isClusters =
    (issuer !== undefined && mayBeSameIssuer(issuer, clusterIssuer)) ||
    (issuerPattern !== undefined && mayMatch(issuerPattern, clusterIssuer));
  return isClusters ? { subjects, prefixes: [`system:serviceaccount:${namespace}:`], isClusters } : undefined;
}

function permitsSubject(
  { issuer, issuerPattern, subject, subjectPattern }: NamedIssuer & NamedSubject,
  limits: SubjectLimits | undefined,
  { publicIssuers }: IdentityContext,
): boolean {
  if (limits === undefined) {
    const isPublic = issuerPattern !== undefined || isPublicIssuer(issuer ?? "", publicIssuers);
    return subjectPattern === undefined || !isPublic;
  }
  const { subjects, prefixes } = limits;
  if (subjectPattern !== undefined) return everyMatchBegins(analyzePattern(subjectPattern), prefixes);
  return subject !== undefined && (subjects.includes(subject) || prefixes.some((prefix) => subject.startsWith(prefix)));
}

/** @param limits what the Tenant allows; undefined: everything, except for patterns at a public issuer */
function subjectDenial(path: string, { subjectPattern }: NamedSubject, limits: SubjectLimits | undefined): Denial {
  const analysis = analyzePattern(subjectPattern ?? "");
  if (limits === undefined) {
    const uncertain =
      analysis.is === "certain" ? "" : ` No prefix allows this pattern, because ${refusalText(analysis.refusal)}`;
    return denial(
      `${path}.subjectPattern`,
      `a pattern needs subjectPrefixes in spec.claimIssuers of the Tenant, because anybody can have an account at this issuer. Use spec.claimMatch.subject, or ask an administrator to add prefixes.${uncertain}`,
    );
  }
  const { subjects, prefixes, isClusters } = limits;
  const why = isClusters === true ? " The issuer may be this cluster's own, which is limited to the namespace." : "";
  if (subjectPattern !== undefined)
    return denial(
      `${path}.subjectPattern`,
      prefixes.length === 0
        ? `the Tenant allows no patterns of subjects at this issuer, only ${alternatives(subjects)}. Use ${path}.subject, or ask an administrator to add subjectPrefixes in spec.claimIssuers of the Tenant.`
        : `the Tenant requires that every match of the pattern begins with ${alternatives(prefixes)}.${why} ${howToBegin(analysis, prefixes)}`,
    );
  const allowed = [
    ...(subjects.length === 0 ? [] : [alternatives(subjects)]),
    ...(prefixes.length === 0 ? [] : [`subjects that begin with ${alternatives(prefixes)}`]),
  ];
  return denial(
    `${path}.subject`,
    `the Tenant allows only ${allowed.join(", and ")}.${why} Use such a subject, or ask an administrator to add it to subjects, or a prefix of it to subjectPrefixes, in spec.claimIssuers of the Tenant.`,
  );
}

function everyMatchBegins(analysis: PatternAnalysis, prefixes: readonly string[]): boolean {
  return analysis.is === "certain" && analysis.beginnings.every((one) => beginsWithOneOf(one, prefixes));
}

function beginsWithOneOf({ text }: { readonly text: string }, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => text.startsWith(prefix));
}

/** How to write a pattern so that every match begins with one of the prefixes. */
function howToBegin(analysis: PatternAnalysis, prefixes: readonly string[]): string {
  if (analysis.is === "refused")
    return `How matches of this pattern begin is unknown, because ${refusalText(analysis.refusal)}`;
  const { text = "" } = analysis.beginnings.find((one) => !beginsWithOneOf(one, prefixes)) ?? {};
  const other = text === "" ? "any subject" : `a subject that begins with "${text}" but with none of these`;
  return `This pattern can match ${other}. Begin each alternative of the pattern with one of the prefixes as literal text.`;
}

function alternatives(texts: readonly string[]): string {
  return texts.map((text) => `"${text}"`).join(" or ");
}
