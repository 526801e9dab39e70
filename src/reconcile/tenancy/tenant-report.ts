import type { Reason } from "#src/api/reason.ts";
import type { TenantSpec } from "#src/api/tenant.ts";
import type { Outage } from "#src/platform-client/outage.ts";
import { isWithin } from "#src/platform-client/uid.ts";
import type { OuterBound } from "./boundary.ts";
import type { TenantProblem } from "./tenant-problem.ts";

/** What the problems of a Tenant are found in. */
export interface TenantFacts {
  /** Absent if the Tenant does not match its schema. */
  readonly spec?: TenantSpec;
  /** Why the Tenant does not match its schema. */
  readonly invalid?: string;
  readonly outer: OuterBound;
  /** The kinds of this operator. */
  readonly kinds: readonly string[];
  /** The names of the built-in roles and the uids of all roles that the identity can see; absent until they were read. */
  readonly knownRoles?: ReadonlySet<string>;
  /** Those of the Tenant's groups that the identity cannot read. */
  readonly unreadableGroups: readonly string[];
  /** Absent while the calls of the credential are sent. */
  readonly outage?: Pick<Outage, "class" | "message">;
  /** Set if the operator's identity records another owner, or (null) none. */
  readonly recordedOwner?: string | null;
  /** The owner that it has to record. */
  readonly owner: string;
  /** The namespaces that other Tenants select, too. */
  readonly overlaps: readonly { readonly namespace: string; readonly tenants: readonly string[] }[];
  /** What Kubernetes refuses in the namespaces of the Tenant. */
  readonly refusals: readonly { readonly namespace: string; readonly kind: string; readonly message: string }[];
}

/** How many names a message lists. */
const shownNames = 5;

/** What does not work in a Tenant, the most important first: what stops everything, then what stops some objects. */
export function problemsOfTenant(facts: TenantFacts): TenantProblem[] {
  if (facts.spec === undefined)
    return [problem("InvalidSpec", `The spec does not match its schema: ${facts.invalid ?? ""}.`)];
  return [
    ...ownerMismatch(facts),
    ...outage(facts),
    ...overlaps(facts),
    ...unreadableGroups(facts),
    ...groupsOutsideBound(facts.spec, facts.outer),
    ...unknownRoles(facts.spec, facts),
    ...rolesOutsideBound(facts.spec, facts),
    ...unknownKinds(facts.spec, facts.kinds),
    ...refusals(facts),
  ];
}

function ownerMismatch({ owner, recordedOwner }: TenantFacts): TenantProblem[] {
  if (recordedOwner === undefined) return [];
  const recorded = recordedOwner === null ? "no owner id" : `the owner id ${recordedOwner}`;
  return [
    problem(
      "OwnerMismatch",
      `The operator's identity on the platform records ${recorded}, and the owner id of this operator is ${owner}, so it writes nothing. If this cluster replaces the other one, set --owner-id to the recorded id; otherwise run \`muster bootstrap\` for this cluster.`,
    ),
  ];
}

const outageReasons: Readonly<Record<Outage["class"], Reason>> = {
  platform: "PlatformUnavailable",
  tokenService: "TokenUnavailable",
  token: "TokenUnavailable",
  exchange: "TokenExchangeFailed",
};

function outage({ outage: current }: TenantFacts): TenantProblem[] {
  if (current === undefined) return [];
  return [
    problem(
      outageReasons[current.class],
      `Calls to the platform are suspended: ${current.message}. The operator retries.`,
    ),
  ];
}

function overlaps({ overlaps: overlapping }: TenantFacts): TenantProblem[] {
  const [first] = overlapping;
  if (first === undefined) return [];
  const names = overlapping.map(({ namespace }) => namespace);
  return [
    problem(
      "Overlap",
      `Nothing is done for objects in ${shortList(names)}: the Tenants ${first.tenants.join(", ")} select the same namespace. Change the namespaces of one of them.`,
    ),
  ];
}

function unreadableGroups({ unreadableGroups: groups }: TenantFacts): TenantProblem[] {
  if (groups.length === 0) return [];
  return [
    problem(
      "RootNotFound",
      `spec.groups: ${shortList(groups)} cannot be read on the platform. Correct the uid, or bind a role to the identity that lets it read the group.`,
    ),
  ];
}

function groupsOutsideBound({ groups = [] }: TenantSpec, { roots }: OuterBound): TenantProblem[] {
  const outside = groups.filter((group) => !roots.some((root) => isWithin(group, root)));
  if (outside.length === 0) return [];
  return [
    problem(
      "TenantDenied",
      `spec.groups: ${shortList(outside)} is not within the operator's setting --root-group. Add its root group there, or remove it here.`,
    ),
  ];
}

function unknownRoles({ roles = [] }: TenantSpec, { knownRoles }: TenantFacts): TenantProblem[] {
  if (knownRoles === undefined) return [];
  const unknown = roles.filter((role) => !knownRoles.has(role));
  if (unknown.length === 0) return [];
  return [
    problem(
      "UnknownRole",
      `spec.roles: the platform has no role ${shortList(unknown)}, or the identity cannot see it. Correct the name.`,
    ),
  ];
}

function rolesOutsideBound({ roles = [] }: TenantSpec, { outer, knownRoles }: TenantFacts): TenantProblem[] {
  const denied = roles.filter((role) => !outer.roles.includes(role) && knownRoles?.has(role) === true);
  if (denied.length === 0) return [];
  return [
    problem(
      "TenantDenied",
      `spec.roles: ${shortList(denied)} is not among the roles of the operator's setting --allowed-role. Add it there, or remove it here.`,
    ),
  ];
}

function unknownKinds({ kinds = [], adopt = [] }: TenantSpec, known: readonly string[]): TenantProblem[] {
  const unknown = [...new Set([...kinds, ...adopt])].filter((kind) => !known.includes(kind));
  if (unknown.length === 0) return [];
  return [
    problem("InvalidSpec", `spec.kinds and spec.adopt: ${shortList(unknown)} is not one of ${known.join(", ")}.`),
  ];
}

function refusals({ refusals: refused }: TenantFacts): TenantProblem[] {
  const [first] = refused;
  if (first === undefined) return [];
  return [
    problem(
      "KubernetesForbidden",
      `Kubernetes refuses requests for ${first.kind} objects in namespace ${first.namespace}: ${first.message}`,
    ),
  ];
}

function problem(reason: Reason, message: string): TenantProblem {
  return { reason, message };
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, shownNames).join(", ");
  return names.length > shownNames ? `${shown} and ${names.length - shownNames} more` : shown;
}
