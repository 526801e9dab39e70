import type { Reason } from "#src/api/reason.ts";
import type { MissingCapability } from "#src/platform-client/permissions.ts";
import type { Outage } from "#src/platform-client/outage.ts";
import type { TenantProblems } from "./tenant-problems.ts";
import { sentence } from "#src/text/sentence.ts";
import { shortList } from "#src/text/short-list.ts";

/** Why a Tenant does not work, or not as its spec says. */
export interface TenantProblem {
  readonly reason: Reason;
  /** What is wrong, where, and how to fix it. */
  readonly message: string;
}

/** What is known of a Tenant, its session and its namespaces. */
export interface TenantFacts {
  /** Why the Tenant does not match its schema; then nothing else is known. */
  readonly invalid?: string;
  /** What the spec names that does not exist or is not allowed. */
  readonly found?: TenantProblems;
  /** Those of the session's groups that the identity cannot read. */
  readonly unreadableGroups: readonly string[];
  /** The capabilities to list the resources of a kind that the identity lacks in groups of the spec. */
  readonly missingCapabilities: readonly MissingCapability[];
  /** All kinds that this operator has. */
  readonly knownKinds: readonly string[];
  /** The kinds in the spec that this operator does not know. */
  readonly unknownKinds: readonly string[];
  /** Absent while the calls of the credential are sent. */
  readonly outage?: Pick<Outage, "class" | "message">;
  /** Set if the credential got no token when it was last checked, although its calls are not suspended yet. */
  readonly failedCheck?: Pick<Outage, "class" | "message">;
  /** Set if the operator's identity records another owner than `expected`, or (null) none. */
  readonly owner?: { readonly expected: string; readonly recorded: string | null };
  /** The namespaces that other Tenants select, too, with the names of all of them. */
  readonly overlaps: readonly { readonly namespace: string; readonly tenants: readonly string[] }[];
  /** What Kubernetes refuses in the namespaces of the Tenant. */
  readonly refusals: readonly { readonly namespace: string; readonly kind: string; readonly message: string }[];
}

/** What does not work in a Tenant, the most important first: what stops everything, then what stops some objects. */
export function problemsOfTenant(facts: TenantFacts): TenantProblem[] {
  if (facts.invalid !== undefined)
    return [problem("InvalidSpec", `The spec does not match its schema: ${facts.invalid}. Correct this field.`)];
  return [
    findOwnerMismatch(facts),
    findOutage(facts),
    findOverlap(facts),
    findUnreadableGroups(facts),
    findMissingCapabilities(facts),
    findGroupsOutside(facts),
    findUnknownRoles(facts),
    findRolesOutside(facts),
    findNamespacesOutside(facts),
    findUnknownKinds(facts),
    findRefusal(facts),
  ].filter((found) => found !== undefined);
}

function findOwnerMismatch({ owner }: TenantFacts): TenantProblem | undefined {
  if (owner === undefined) return undefined;
  const recorded = owner.recorded === null ? "no owner id" : `the owner id ${owner.recorded}`;
  // The id of an operator with a class ends with it: ID/CLASS.
  const note = `${owner.expected}${owner.recorded ?? ""}`.includes("/")
    ? " (what follows a slash is the class (--class))"
    : "";
  const fix =
    owner.recorded === null
      ? "Run `muster bootstrap` for this cluster, which records it."
      : `If this cluster replaces the one that recorded it, set --owner-id to the recorded id${note}; otherwise run \`muster bootstrap\` for this cluster, which creates an identity of its own.`;
  return problem(
    "OwnerMismatch",
    `The operator's identity on the platform records ${recorded}, and the owner id of this operator is ${owner.expected}, so it writes nothing. ${fix}`,
  );
}

const outageReasons: Readonly<Record<Outage["class"], Reason>> = {
  platform: "PlatformUnavailable",
  tokenService: "TokenUnavailable",
  token: "TokenUnavailable",
  exchange: "TokenExchangeFailed",
};

const credentialFix =
  "of the operator (its settings --platform-url, --auth-url, --token-file and --identity), or of this Tenant (spec.credentials)";
const outageFixes: Readonly<Record<Outage["class"], string>> = {
  platform: "If this lasts, check the platform and the network.",
  tokenService: `If this lasts, check the network, and the service account ${credentialFix}.`,
  token:
    "If this lasts, check the operator's setting --platform-url, which must be the platform's --base-url, and the identity.",
  exchange: `Check that the claimMatch of the identity matches the service account ${credentialFix}.`,
};

function findOutage({ outage, failedCheck }: TenantFacts): TenantProblem | undefined {
  const found = outage ?? failedCheck;
  if (found === undefined) return undefined;
  const what = outage === undefined ? "The credential does not work" : "Calls to the platform are suspended";
  return problem(
    outageReasons[found.class],
    `${what}: ${sentence(found.message)} ${outageFixes[found.class]} The operator retries.`,
  );
}

function findOverlap({ overlaps }: TenantFacts): TenantProblem | undefined {
  if (overlaps.length === 0) return undefined;
  const namespaces = shortList(overlaps.map(({ namespace, tenants }) => `${namespace} (${shortList(tenants)})`));
  return problem(
    "Overlap",
    `Nothing is done for the objects in namespaces that several Tenants select: ${namespaces}. Change the namespaces of all but one of these Tenants.`,
  );
}

function findUnreadableGroups({ unreadableGroups }: TenantFacts): TenantProblem | undefined {
  if (unreadableGroups.length === 0) return undefined;
  return problem(
    "RootNotFound",
    `spec.groups, or the operator's setting --root-group: ${shortList(unreadableGroups)} cannot be read on the platform. Correct the uid, or bind a role that lets the identity read the group: the operator's, or the one in spec.credentials.`,
  );
}

function findMissingCapabilities({ missingCapabilities: missing }: TenantFacts): TenantProblem | undefined {
  if (missing.length === 0) return undefined;
  const list = shortList(missing.map(({ capability, group }) => `${capability} in group ${group}`));
  return problem(
    "PermissionDenied",
    `The identity lacks ${list}, without which it is not known what exists there. Bind a role that has it, such as viewer, to the identity: the operator's, or the one in spec.credentials; or leave the kind out of spec.kinds.`,
  );
}

function findGroupsOutside({ found }: TenantFacts): TenantProblem | undefined {
  if (found === undefined || found.groupsOutside.length === 0) return undefined;
  return problem(
    "TenantDenied",
    `spec.groups: ${shortList(found.groupsOutside)} is outside of the operator's setting --root-group. Add its root group there, or remove it here.`,
  );
}

function findUnknownRoles({ found }: TenantFacts): TenantProblem | undefined {
  if (found === undefined || found.unknownRoles.length === 0) return undefined;
  return problem(
    "UnknownRole",
    `spec.roles: the platform has no role ${shortList(found.unknownRoles)}, or the identity cannot see it. Correct the name or uid: the operator's setting --allowed-role permits ${shortList(found.allowedRoles)}.`,
  );
}

function findRolesOutside({ found }: TenantFacts): TenantProblem | undefined {
  const outside = found?.rolesOutside.filter((role) => !found.unknownRoles.includes(role)) ?? [];
  if (outside.length === 0) return undefined;
  return problem(
    "TenantDenied",
    `spec.roles: ${shortList(outside)} is not among the roles of the operator's setting --allowed-role. Add it there, or remove it here.`,
  );
}

function findNamespacesOutside({ found }: TenantFacts): TenantProblem | undefined {
  if (found === undefined || found.namespacesOutside.length === 0) return undefined;
  return problem(
    "TenantDenied",
    `spec.namespaces: ${shortList(found.namespacesOutside)} is not among the operator's setting --allowed-namespace. Add it there, or remove it here.`,
  );
}

function findUnknownKinds({ knownKinds, unknownKinds }: TenantFacts): TenantProblem | undefined {
  if (unknownKinds.length === 0) return undefined;
  return problem(
    "InvalidSpec",
    `spec.kinds, spec.adopt: this operator has no kind ${shortList(unknownKinds)}. The kinds are ${knownKinds.join(", ")}.`,
  );
}

function findRefusal({ refusals }: TenantFacts): TenantProblem | undefined {
  const [first] = refusals;
  if (first === undefined) return undefined;
  return problem(
    "KubernetesForbidden",
    `Kubernetes refuses requests for ${first.kind} objects in namespace ${first.namespace}: ${sentence(first.message)} Grant the permission to the operator's service account, or change the policy, webhook or quota. The operator retries.`,
  );
}

function problem(reason: Reason, message: string): TenantProblem {
  return { reason, message };
}
