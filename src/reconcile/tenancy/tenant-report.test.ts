import { expect, it } from "vitest";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { problemsOfTenant, type TenantFacts } from "./tenant-problems.ts";

const root = "a".repeat(40);
const group = `${root}/1111111111111111`;
const spec = (parts: object = {}) => tenantSpecSchema.parse({ namespaces: ["shop"], groups: [group], ...parts });
const facts = (parts: Partial<TenantFacts> = {}): TenantFacts => ({
  spec: spec(),
  outer: { roots: [root], roles: ["viewer"], namespaces: null },
  kinds: ["Group", "Identity", "RoleBinding"],
  knownRoles: new Set(["viewer", "owner"]),
  unreadableGroups: [],
  owner: "cluster-1",
  overlaps: [],
  refusals: [],
  ...parts,
});

it("finds no problem in a Tenant that is served", () => {
  expect(problemsOfTenant(facts())).toEqual([]);
});

it.each<[string, Partial<TenantFacts>, string, string]>([
  ["another owner", { recordedOwner: "cluster-2" }, "OwnerMismatch", "the owner id cluster-2"],
  ["no owner", { recordedOwner: null }, "OwnerMismatch", "no owner id"],
  [
    "a refused exchange",
    { outage: { class: "exchange", message: "refused" } },
    "TokenExchangeFailed",
    "suspended: refused",
  ],
  ["an unreachable platform", { outage: { class: "platform", message: "reset" } }, "PlatformUnavailable", "reset"],
  ["a namespace of two Tenants", { overlaps: [{ namespace: "shop", tenants: ["a", "b"] }] }, "Overlap", "a, b"],
  ["a group that cannot be read", { unreadableGroups: [group] }, "RootNotFound", `spec.groups: ${group}`],
  ["a group outside of the settings", { spec: spec({ groups: ["b".repeat(40)] }) }, "TenantDenied", "--root-group"],
  ["a misspelled role", { spec: spec({ roles: ["veiwer"] }) }, "UnknownRole", "veiwer"],
  ["a role outside of the settings", { spec: spec({ roles: ["owner"] }) }, "TenantDenied", "--allowed-role"],
  ["a kind that does not exist", { spec: spec({ adopt: ["Pod"] }) }, "InvalidSpec", "Pod"],
  [
    "a refusal by Kubernetes",
    { refusals: [{ namespace: "shop", kind: "Group", message: "forbidden." }] },
    "KubernetesForbidden",
    "Group objects in namespace shop: forbidden.",
  ],
])("names %s", (_, parts, reason, text) => {
  const [problem, ...others] = problemsOfTenant(facts(parts));
  expect(problem).toMatchObject({ reason, message: expect.stringContaining(text) });
  expect(others).toEqual([]);
});

it("says nothing about roles before they were read", () => {
  const { knownRoles: _unread, ...unread } = facts({ spec: spec({ roles: ["veiwer", "owner"] }) });
  expect(problemsOfTenant(unread)).toEqual([]);
});

it("names only the schema's problem of an invalid Tenant", () => {
  const { spec: _invalid, ...invalid } = facts({ invalid: "spec.groups: must be a list", recordedOwner: null });
  expect(problemsOfTenant(invalid)).toMatchObject([{ reason: "InvalidSpec" }]);
});
