import { analyzePattern } from "#src/api/certain-pattern.ts";
import type { Authentication } from "#src/api/identity.ts";
import type { LinkedAccounts } from "#src/api/linked-accounts.ts";
import { type IdentityType, type TenantSpec, tenantSpecSchema } from "#src/api/tenant.ts";
import type { Fields } from "#src/kinds/fields.ts";
import type { ExternalRole } from "#src/platform-client/permission-resources.ts";
import { parentOf } from "#src/platform-client/uid.ts";
import { type Boundary, boundaryOf } from "#src/reconcile/tenancy/boundary.ts";
import { findAccountDenial } from "#src/reconcile/tenancy/permits-accounts.ts";
import { findIdentityDenial, findIssuerDenial, type IdentityContext } from "#src/reconcile/tenancy/permits-identity.ts";
import { permitsRole } from "#src/reconcile/tenancy/permits-role.ts";
import type { ImportOptions } from "./import-options.ts";

/** What a Tenant has to permit. */
interface TenantNeeds extends ImportOptions {
  /** The uid of the group that is imported. */
  readonly group: string;
  readonly roles: readonly RoleReference[];
  /** The uids of custom roles that may be bound unlisted: objects declare them, and what they allow is permitted. */
  readonly declaredRoles: ReadonlySet<string>;
  readonly authentications: readonly Authentication[];
  /** The accounts to which groups are linked. */
  readonly linked: readonly LinkedAccounts[];
  /** The issuers of identity providers, which let in everybody for whom they vouch. */
  readonly vouching: readonly string[];
}

/** A role as an object names it. */
export type RoleReference = Pick<ExternalRole, "uid" | "name">;
type ClaimIssuer = NonNullable<TenantSpec["claimIssuers"]>[number];

/** The bounds of the lists of a Tenant. What does not fit is not permitted. */
const maxRoles = 256;
const maxIssuers = 64;
/** Of each list of accounts. */
const maxAccounts = 256;
/** Of the exact ones, and of their prefixes, for each entry. */
const maxSubjects = 64;

/** The Tenant that permits what exists, and what it does not permit nevertheless. */
export class TenantLimits {
  readonly #spec: Fields;
  readonly #declaredRoles: ReadonlySet<string>;
  readonly #boundary: Boundary;
  readonly #context: IdentityContext;

  constructor(needs: TenantNeeds) {
    const { namespace, group, roles, authentications, linked, vouching, clusterIssuer = "", publicIssuers } = needs;
    // The built-in ones first: their capabilities bound the other ones.
    const [builtIn, custom] = [true, false].map((is) =>
      sorted(roles.filter(({ uid }) => isBuiltIn(uid) === is).map(tenantRole)),
    );
    const names = [...(builtIn ?? []), ...(custom ?? [])].slice(0, maxRoles);
    const types = sorted(authentications.flatMap(typeOf));
    const awsAccounts = authentications.flatMap(({ awsIdentity }) => awsIdentity?.awsAccount ?? []);
    const issuers = claimIssuersOf(authentications, vouching).slice(0, maxIssuers);
    this.#declaredRoles = needs.declaredRoles;
    this.#spec = {
      namespaces: [namespace],
      groups: [group],
      ...(names.length === 0 ? {} : { roles: names }),
      // Absent would permit two of them.
      identityTypes: types,
      ...accountLists(linked, awsAccounts),
      ...(issuers.length === 0 ? {} : { claimIssuers: issuers }),
    };
    this.#context = { namespace, clusterIssuer, uploadsKeys: false, publicIssuers };
    this.#boundary = boundaryOf(tenantSpecSchema.parse(this.#spec), { roots: [group], roles: names, namespaces: null });
  }

  /** The spec of the Tenant as far as the limits say it, without what the API server fills in. */
  get spec(): Fields {
    return this.#spec;
  }

  permitsRole({ uid, name }: RoleReference): boolean {
    if (this.#declaredRoles.has(uid)) return true;
    const builtIn = isBuiltIn(uid) ? { uid, name, capabilities: [] } : undefined;
    return permitsRole(this.#boundary, uid, builtIn);
  }

  /** Why the Tenant does not permit that an identity is assumed in this way; undefined if it does. */
  denialOf(authentication: Authentication): string | undefined {
    const denial = findIdentityDenial(authentication, this.#boundary, this.#context);
    return denial && `${denial.path}: ${denial.message}`;
  }

  /** Why the Tenant does not permit that a group is linked to the accounts; undefined if it does. */
  denialOfAccounts(accounts: LinkedAccounts): string | undefined {
    const denial = findAccountDenial(accounts, this.#boundary);
    if (denial === undefined) return undefined;
    const isListed = this.#boundary.googleProjects?.some(({ projectId }) => projectId === accounts.google?.projectId);
    return denial.path === "spec.google" && isListed === true
      ? "spec.google: the Tenant can list a project with one number only"
      : `${denial.path}: the Tenant cannot list more accounts of this type`;
  }

  /** Why the Tenant does not permit that everybody for whom the issuer vouches gets the role; undefined if it does. */
  denialOfProvider(issuer: string, role: RoleReference): string | undefined {
    if (findIssuerDenial("spec.issuer", issuer, this.#boundary) !== undefined)
      return "the Tenant cannot list more issuers";
    return this.permitsRole(role) ? undefined : cannotListMoreRoles;
  }
}

/** Why what needs another role is left out. */
export const cannotListMoreRoles = "the Tenant cannot list more roles";

/** Whether a role is one of the platform's own, which every group can use. */
export function isBuiltIn(uid: string): boolean {
  return parentOf(uid) === undefined;
}

/** Whether an object can name the role; otherwise it has the uid. */
export function isNamed({ uid, name }: RoleReference): boolean {
  return isBuiltIn(uid) && /^[a-z0-9 ._-]{1,512}$/.test(name);
}

function tenantRole(role: RoleReference): string {
  return isNamed(role) ? role.name : role.uid;
}

function typeOf({ claimMatch, staticKeys, awsIdentity }: Authentication): readonly IdentityType[] {
  if (claimMatch !== undefined) return ["ClaimMatch"];
  if (staticKeys !== undefined) return ["StaticKeys"];
  return awsIdentity === undefined ? [] : ["Aws"];
}

/**
 * An issuer alone permits every subject, also of strangers. So each has the subjects that exist, and of patterns of subjects what
 * their matches begin with, unless that is not certain or a pattern begins with no literal text, or an identity provider lets
 * everybody in.
 */
function claimIssuersOf(
  authentications: readonly Authentication[],
  vouching: readonly string[],
): readonly ClaimIssuer[] {
  const open = new Map(vouching.map((issuer): [string, ClaimIssuer] => [JSON.stringify({ issuer }), { issuer }]));
  const limited = new Map<string, LimitedIssuer>();
  for (const { claimMatch, staticKeys } of authentications) {
    const claims = claimMatch ?? staticKeys;
    if (claims === undefined) continue;
    const { issuer: exact, issuerPattern = "" }: Claims = claims;
    const issuer: ClaimIssuer = exact === undefined ? { issuerPattern } : { issuer: exact };
    const key = JSON.stringify(issuer);
    const entry = limited.get(key) ?? { issuer, subjects: new Set(), prefixes: new Set() };
    if (addSubjects(entry, claims)) limited.set(key, entry);
    else open.set(key, issuer);
  }
  const all = [...open.values(), ...[...limited.values()].flatMap(entriesOf)];
  return all.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

interface LimitedIssuer {
  readonly issuer: ClaimIssuer;
  readonly subjects: Set<string>;
  readonly prefixes: Set<string>;
}

/** As many entries as the lists need, because each has a bound. */
function entriesOf({ issuer, ...limits }: LimitedIssuer): ClaimIssuer[] {
  const [subjects, prefixes] = [sorted(limits.subjects), sorted(limits.prefixes)];
  const count = Math.ceil(Math.max(subjects.length, prefixes.length) / maxSubjects);
  return Array.from({ length: count }, (_, index) => {
    const part = (texts: readonly string[]) => texts.slice(index * maxSubjects, (index + 1) * maxSubjects);
    const [exact, begun] = [part(subjects), part(prefixes)];
    return {
      ...issuer,
      ...(exact.length === 0 ? {} : { subjects: exact }),
      ...(begun.length === 0 ? {} : { subjectPrefixes: begun }),
    };
  });
}

interface Claims {
  readonly issuer?: string | undefined;
  readonly issuerPattern?: string | undefined;
  readonly subject?: string | undefined;
  readonly subjectPattern?: string | undefined;
}

/** @returns false if only the issuer alone permits the subjects. */
function addSubjects({ subjects, prefixes }: LimitedIssuer, { subject, subjectPattern }: Claims): boolean {
  if (subjectPattern === undefined) {
    if (subject !== undefined) subjects.add(subject);
    return subject !== undefined;
  }
  const analysis = analyzePattern(subjectPattern);
  if (analysis.is === "refused" || analysis.beginnings.some(({ text }) => text === "")) return false;
  for (const { text } of analysis.beginnings) prefixes.add(text);
  return true;
}

function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].toSorted();
}

/** The limits of the Tenant, and why they do not permit some of the ways in which identities are assumed, or some of the accounts. */
export function findLimits(
  needs: Omit<TenantNeeds, "authentications" | "linked">,
  authentications: readonly Authentication[],
  linked: readonly LinkedAccounts[],
) {
  const everything = new TenantLimits({ ...needs, authentications, linked });
  const denials = authentications.map((one) => everything.denialOf(one));
  const accountDenials = linked.map((one) => everything.denialOfAccounts(one));
  if ([...denials, ...accountDenials].every((denial) => denial === undefined))
    return { limits: everything, denials, accountDenials };
  // What even these limits do not permit is left out of them. What was permitted only because of it is denied then, too.
  const limits = new TenantLimits({
    ...needs,
    authentications: authentications.filter((_, index) => denials[index] === undefined),
    linked: linked.filter((_, index) => accountDenials[index] === undefined),
  });
  return {
    limits,
    denials: authentications.map((one, index) => denials[index] ?? limits.denialOf(one)),
    accountDenials: linked.map((one, index) => accountDenials[index] ?? limits.denialOfAccounts(one)),
  };
}

/**
 * The lists of a Tenant that permit the accounts to which groups are linked, and the AWS accounts of identities. An empty list is
 * absent.
 */
function accountLists(linked: readonly LinkedAccounts[], awsAccounts: readonly string[]): Fields {
  const lists = {
    awsAccounts: distinct([...awsAccounts, ...linked.flatMap(({ amazon }) => amazon?.account ?? [])]),
    // The API server refuses two entries with one ID: what needs the other number is not permitted.
    googleProjects: distinct(
      linked.flatMap(({ google }) => google ?? []),
      ({ projectId }) => projectId,
    ),
    azureTenants: distinct(linked.flatMap(({ azure }) => azure?.tenantId ?? [])),
    githubInstallations: distinct(
      linked
        .flatMap(({ github }) => github?.apps ?? [])
        .flatMap(({ installations }) => installations.map(({ installationId }) => installationId)),
    ),
  };
  return Object.fromEntries(
    Object.entries(lists).flatMap(([field, list]) => (list.length === 0 ? [] : [[field, list.slice(0, maxAccounts)]])),
  );
}

/** The items in one order, of those with the same key the first one. */
function distinct<T>(items: readonly T[], keyOf: (item: T) => string = textOf): readonly T[] {
  const ordered = items.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
  return [...Map.groupBy(ordered, keyOf).values()].flatMap((equal) => equal.slice(0, 1));
}

function textOf(item: unknown): string {
  return JSON.stringify(item);
}
