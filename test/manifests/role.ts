import { inTeam, type InvalidCase, root, team, type ValidCase } from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const noCapabilities =
  "spec.capabilities: Invalid value: capabilities must be set, unless policy.management is Observe";
const notACapability = (index: number, value: string) =>
  `spec.capabilities[${index}]: Invalid value: "${value}": must be the name of a capability in the platform's API, such as CAP_REPO_LIST; a wildcard is not one`;
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: a role cannot be moved. Delete this Role and create it in the other group`;
const uidIsImmutable =
  "spec.uid: Forbidden: uid is immutable: delete this Role (policy.deletion: Orphan keeps the role on the platform) and create another";

const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST"];
const byRef = { groupRef: { name: "team" }, capabilities };
const byUid = { groupUid: team, capabilities };

export const invalid: readonly InvalidCase[] = [
  { what: "an empty spec", spec: {}, errors: [oneGroup, noCapabilities] },
  { what: "two groups", spec: { ...byRef, groupUid: team }, errors: oneGroup },
  { what: "no capabilities", spec: { groupUid: team }, errors: noCapabilities },
  {
    what: "an empty list of capabilities",
    spec: { groupUid: team, capabilities: [] },
    errors: "spec.capabilities: Invalid value: 0: spec.capabilities in body should have at least 1 items",
  },
  {
    what: "a wildcard",
    spec: { groupUid: team, capabilities: ["CAP_REPO_LIST", "CAP_REPO_*"] },
    errors: notACapability(1, "CAP_REPO_*"),
  },
  { what: "everything", spec: { groupUid: team, capabilities: ["*"] }, errors: notACapability(0, "*") },
  {
    what: "a capability as people say it",
    spec: { groupUid: team, capabilities: ["repo.list"] },
    errors: notACapability(0, "repo.list"),
  },
  {
    what: "a capability that is listed twice",
    spec: { groupUid: team, capabilities: ["CAP_REPO_LIST", "CAP_REPO_LIST"] },
    errors: 'spec.capabilities[1]: Duplicate value: "CAP_REPO_LIST"',
    rejectedBy: "API server",
  },
  {
    what: "rules as in Kubernetes RBAC",
    spec: { ...byUid, rules: [{ verbs: ["get"] }] },
    errors: 'unknown field "spec.rules"',
    rejectedBy: "API server",
  },
  {
    what: "the uid of a role in another group",
    spec: { ...byUid, uid: `${root}/4444444444444444` },
    errors:
      "spec.uid: Invalid value: uid must be directly below groupUid: the value of groupUid, followed by '/' and 16 hex digits",
  },
  {
    what: "the uid of a built-in role",
    spec: { ...byRef, uid: root },
    errors: `spec.uid: Invalid value: "${root}": must be the uid of a resource in a group: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root, at least one`,
  },
  {
    what: "a changed groupRef",
    before: byRef,
    spec: { ...byRef, groupRef: { name: "other" } },
    errors: immutable("groupRef"),
    rejectedBy: "API server",
  },
  {
    what: "a changed groupUid",
    before: byUid,
    spec: { ...byUid, groupUid: root },
    errors: immutable("groupUid"),
    rejectedBy: "API server",
  },
  {
    what: "an added uid",
    before: byUid,
    spec: { ...byUid, uid: inTeam },
    errors: uidIsImmutable,
    rejectedBy: "API server",
  },
  {
    what: "an observed role without capabilities that becomes managed",
    before: { groupUid: team, policy: { management: "Observe" } },
    spec: { groupUid: team },
    errors: noCapabilities,
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "a role in a Group", spec: byRef },
  { what: "a role in a group by uid", spec: byUid },
  { what: "a group in another namespace", spec: { groupRef: { name: "team", namespace: "teams" }, capabilities } },
  { what: "a capability that Muster does not know", spec: { ...byUid, capabilities: ["CAP_CLUSTERS_2_LIST"] } },
  { what: "a name that is that of a built-in role", spec: { ...byUid, name: "viewer", description: "reads" } },
  { what: "an existing role", spec: { ...byUid, uid: inTeam, policy: { drift: "Report" } } },
  { what: "an observed role", spec: { groupUid: team, uid: inTeam, policy: { management: "Observe" } } },
  { what: "namespaces of other Tenants", spec: { ...byUid, allowedNamespaces: ["shop"] } },
  { what: "other capabilities", before: byUid, spec: { ...byUid, capabilities: ["CAP_REPO_LIST"] } },
  { what: "adoption by name", spec: { ...byUid, policy: { adoption: "IfExists", deletion: "Orphan" } } },
];
