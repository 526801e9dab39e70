import { expect, it } from "vitest";
import type { TenantProblems } from "./tenant-problems.ts";
import { problemsOfTenant, type TenantFacts } from "./tenant-report.ts";

const group = `${"a".repeat(40)}/1111111111111111`;
const nothing: TenantProblems = {
  groupsOutside: [],
  rolesOutside: [],
  namespacesOutside: [],
  unknownRoles: [],
  allowedRoles: ["viewer", "editor"],
};
const facts = (parts: Partial<TenantFacts> = {}): TenantFacts => ({
  found: nothing,
  unreadableGroups: [],
  missingCapabilities: [],
  knownKinds: ["Group", "Role"],
  unknownKinds: [],
  overlaps: [],
  refusals: [],
  ...parts,
});

it("finds no problem in a Tenant that is served", () => {
  expect(problemsOfTenant(facts())).toEqual([]);
});

it.each<[string, Partial<TenantFacts>, string, string]>([
  ["another owner", { owner: { expected: "a", recorded: "b" } }, "OwnerMismatch", "the owner id b, and"],
  ["no owner", { owner: { expected: "a", recorded: null } }, "OwnerMismatch", "no owner id"],
  [
    "a refused exchange",
    { outage: { class: "exchange", message: "refused" } },
    "TokenExchangeFailed",
    "suspended: refused",
  ],
  [
    "which identity to check after a refused exchange",
    { outage: { class: "exchange", message: "refused." } },
    "TokenExchangeFailed",
    "suspended: refused. Check that the claimMatch",
  ],
  [
    "the class of an owner, which is not part of --owner-id",
    { owner: { expected: "a", recorded: "a/blue" } },
    "OwnerMismatch",
    "what follows a slash is the class (--class)",
  ],
  ["an unreachable platform", { outage: { class: "platform", message: "reset" } }, "PlatformUnavailable", "reset"],
  ["a namespace of two Tenants", { overlaps: [{ namespace: "shop", tenants: ["a", "b"] }] }, "Overlap", "a, b"],
  [
    "the Tenants of each namespace",
    {
      overlaps: [
        { namespace: "shop", tenants: ["a", "b"] },
        { namespace: "till", tenants: ["a", "c"] },
      ],
    },
    "Overlap",
    "shop (a, b), till (a, c)",
  ],
  [
    "a credential that gets no token, before its calls are suspended",
    { failedCheck: { class: "exchange", message: "refused" } },
    "TokenExchangeFailed",
    "The credential does not work: refused.",
  ],
  ["a group that cannot be read", { unreadableGroups: [group] }, "RootNotFound", group],
  [
    "a missing capability",
    { missingCapabilities: [{ capability: "identity.list", group }] },
    "PermissionDenied",
    `lacks identity.list in group ${group}`,
  ],
  ["a group outside", { found: { ...nothing, groupsOutside: [group] } }, "TenantDenied", "--root-group"],
  [
    "a misspelled role, once",
    { found: { ...nothing, unknownRoles: ["veiwer"], rolesOutside: ["veiwer"] } },
    "UnknownRole",
    "has no role veiwer, or the identity cannot see it. Correct the name or uid: the operator's setting --allowed-role permits viewer, editor.",
  ],
  ["a role outside", { found: { ...nothing, rolesOutside: ["owner"] } }, "TenantDenied", "--allowed-role"],
  ["a namespace outside", { found: { ...nothing, namespacesOutside: ["x"] } }, "TenantDenied", "--allowed-namespace"],
  ["a kind that does not exist", { unknownKinds: ["Pod"] }, "InvalidSpec", "no kind Pod. The kinds are Group, Role."],
  [
    "a refusal by Kubernetes",
    { refusals: [{ namespace: "shop", kind: "Group", message: "forbidden." }] },
    "KubernetesForbidden",
    "Group objects in namespace shop: forbidden.",
  ],
  [
    "only the schema if that is violated",
    { invalid: "spec.groups: must be a list", unknownKinds: ["Pod"] },
    "InvalidSpec",
    "must be a list",
  ],
])("names %s", (_, parts, reason, text) => {
  const [problem, ...others] = problemsOfTenant(facts(parts));
  expect(problem).toMatchObject({ reason, message: expect.stringContaining(text) });
  expect(others).toEqual([]);
});

it("names what stops everything before what stops some objects", () => {
  const problems = problemsOfTenant(
    facts({
      unknownKinds: ["Pod"],
      owner: { expected: "a", recorded: null },
      found: { ...nothing, unknownRoles: ["x"] },
    }),
  );
  expect(problems.map(({ reason }) => reason)).toEqual(["OwnerMismatch", "UnknownRole", "InvalidSpec"]);
});
