import {
  inTeam,
  type InvalidCase,
  notATime,
  otherRoot,
  refusedTimes,
  root,
  team,
  unreadableTimes,
  type ValidCase,
} from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const oneIdentity = "spec: Invalid value: exactly one of identityRef and identityUid must be set";
const oneRole = "spec: Invalid value: exactly one of roleRef and roleUid must be set";
const notInAGroup =
  "must be the uid of a resource in a group: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root, at least one";
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: a changed grant is a different grant. Delete this RoleBinding and create another`;

const byRefs = { groupRef: { name: "team" }, identityRef: { name: "robot" }, roleRef: { name: "viewer" } };
const byUids = { groupUid: team, identityUid: inTeam, roleUid: otherRoot };

export const invalid: readonly InvalidCase[] = [
  { what: "an empty spec", spec: {}, errors: [oneGroup, oneIdentity, oneRole] },
  { what: "no group", spec: { ...byRefs, groupRef: undefined }, errors: oneGroup },
  { what: "two groups", spec: { ...byRefs, groupUid: root }, errors: oneGroup },
  { what: "no identity", spec: { ...byRefs, identityRef: undefined }, errors: oneIdentity },
  { what: "two identities", spec: { ...byRefs, identityUid: inTeam }, errors: oneIdentity },
  { what: "no role", spec: { ...byRefs, roleRef: undefined }, errors: oneRole },
  { what: "two roles", spec: { ...byRefs, roleUid: otherRoot }, errors: oneRole },
  {
    what: "a roleRef that is a string",
    spec: { ...byRefs, roleRef: "viewer" },
    errors: 'spec.roleRef: Invalid value: "string": spec.roleRef in body must be of type object: "string"',
  },
  {
    what: "a roleRef to a ClusterRole of Kubernetes RBAC",
    spec: { ...byRefs, roleRef: { kind: "ClusterRole", name: "viewer" } },
    errors: 'spec.roleRef.kind: Unsupported value: "ClusterRole": supported values: "Role"',
  },
  {
    what: "a roleRef with the API group of Kubernetes RBAC",
    spec: { ...byRefs, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "viewer" } },
    errors: 'unknown field "spec.roleRef.apiGroup"',
    rejectedBy: "API server",
  },
  {
    what: "a built-in role in a namespace",
    spec: { ...byRefs, roleRef: { name: "viewer", namespace: "team" } },
    errors:
      "spec.roleRef.namespace: Invalid value: namespace must not be set without kind: a built-in role is in no namespace",
  },
  {
    what: "a Role whose name is only possible on the platform",
    spec: { ...byRefs, roleRef: { kind: "Role", name: "image reader" } },
    errors:
      "spec.roleRef.name: Invalid value: name must be the name of a Kubernetes object if kind is set: lowercase letters, digits, '-' and '.'",
  },
  {
    what: "a built-in role that becomes a Role with the same name",
    before: byRefs,
    spec: { ...byRefs, roleRef: { kind: "Role", name: "viewer" } },
    errors: immutable("roleRef"),
    rejectedBy: "API server",
  },
  {
    what: "a roleRef whose name has capitals",
    spec: { ...byRefs, roleRef: { name: "Viewer" } },
    errors:
      'spec.roleRef.name: Invalid value: "Viewer": the name of a role must be lowercase letters, digits, spaces and the characters . _ -, at least one of them',
  },
  {
    what: "subjects as in Kubernetes RBAC",
    spec: { ...byRefs, subjects: [{ kind: "ServiceAccount", name: "robot" }] },
    errors: 'unknown field "spec.subjects"',
    rejectedBy: "API server",
  },
  {
    what: "a description, which role bindings do not have",
    spec: { ...byRefs, description: "reads" },
    errors: 'unknown field "spec.description"',
    rejectedBy: "API server",
  },
  {
    what: "the uid of a group as identityUid",
    spec: { ...byUids, identityUid: root },
    errors: `spec.identityUid: Invalid value: "${root}": ${notInAGroup}`,
  },
  {
    what: "a name as roleUid",
    spec: { ...byUids, roleUid: "viewer" },
    errors:
      "spec.roleUid: Invalid value: \"viewer\": must be a uid of the platform: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root",
  },
  {
    what: "the uid of a role binding in another group",
    spec: { ...byUids, uid: `${root}/4444444444444444` },
    errors:
      "spec.uid: Invalid value: uid must be directly below groupUid: the value of groupUid, followed by '/' and 16 hex digits",
  },
  {
    what: "an adoption policy, which a role binding does not have",
    spec: { ...byRefs, policy: { adoption: "IfExists" } },
    errors: 'unknown field "spec.policy.adoption"',
    rejectedBy: "API server",
  },
  {
    what: "namespaces to which it is granted",
    spec: { ...byRefs, allowedNamespaces: ["shop"] },
    errors: 'unknown field "spec.allowedNamespaces"',
    rejectedBy: "API server",
  },
  ...[...unreadableTimes, ...refusedTimes].map((expiresAt) => ({
    what: `an end that is not a time: ${expiresAt}`,
    spec: { ...byRefs, expiresAt },
    errors: `spec.expiresAt: Invalid value: "${expiresAt}": ${notATime}`,
  })),
  {
    what: "an end that is replaced by one that is not a time",
    before: { ...byUids, expiresAt: "2027-01-31T00:00:00Z" },
    spec: { ...byUids, expiresAt: "2026-11-23T19:00:00+24:00" },
    errors: `spec.expiresAt: Invalid value: "2026-11-23T19:00:00+24:00": ${notATime}`,
  },
  {
    what: "an end that YAML reads as a number",
    spec: { ...byRefs, expiresAt: 1801353600 },
    errors: 'spec.expiresAt: Invalid value: "integer": spec.expiresAt in body must be of type string: "integer"',
  },
  {
    what: "a changed groupUid",
    before: byUids,
    spec: { ...byUids, groupUid: root },
    errors: immutable("groupUid"),
    rejectedBy: "API server",
  },
  {
    what: "a changed groupRef",
    before: byRefs,
    spec: { ...byRefs, groupRef: { name: "other" } },
    errors: immutable("groupRef"),
    rejectedBy: "API server",
  },
  {
    what: "a changed identityRef",
    before: byRefs,
    spec: { ...byRefs, identityRef: { name: "other" } },
    errors: immutable("identityRef"),
    rejectedBy: "API server",
  },
  {
    what: "a changed identityUid",
    before: byUids,
    spec: { ...byUids, identityUid: `${team}/4444444444444444` },
    errors: immutable("identityUid"),
    rejectedBy: "API server",
  },
  {
    what: "a changed roleRef",
    before: byRefs,
    spec: { ...byRefs, roleRef: { name: "owner" } },
    errors: immutable("roleRef"),
    rejectedBy: "API server",
  },
  {
    what: "a changed roleUid",
    before: byUids,
    spec: { ...byUids, roleUid: root },
    errors: immutable("roleUid"),
    rejectedBy: "API server",
  },
  {
    what: "a roleRef replaced with a roleUid",
    before: byRefs,
    spec: { ...byRefs, roleRef: undefined, roleUid: otherRoot },
    errors: [immutable("roleRef"), immutable("roleUid")],
    rejectedBy: "API server",
  },
  {
    what: "an identityUid replaced with an identityRef",
    before: byUids,
    spec: { ...byUids, identityUid: undefined, identityRef: { name: "robot" } },
    errors: [immutable("identityRef"), immutable("identityUid")],
    rejectedBy: "API server",
  },
  {
    what: "an added uid",
    before: byUids,
    spec: { ...byUids, uid: `${team}/4444444444444444` },
    errors: immutable("uid"),
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "references", spec: byRefs },
  { what: "uids", spec: byUids },
  { what: "a Role", spec: { ...byRefs, roleRef: { kind: "Role", name: "scanner" } } },
  {
    what: "a Role in another namespace",
    spec: { ...byRefs, roleRef: { kind: "Role", name: "scanner", namespace: "team" } },
  },
  { what: "a role of a group", spec: { ...byUids, roleUid: `${team}/5555555555555555` } },
  { what: "a role whose name has a dot", spec: { ...byRefs, roleRef: { name: "registry.pull" } } },
  {
    what: "references to other namespaces",
    spec: {
      groupRef: { name: "team", namespace: "teams" },
      identityRef: { name: "robot", namespace: "robots" },
      roleRef: { name: "editor" },
    },
  },
  {
    what: "an existing role binding",
    spec: { ...byUids, uid: `${team}/4444444444444444`, policy: { drift: "Report" } },
  },
  { what: "a grant that ends", spec: { ...byUids, expiresAt: "2027-01-31T00:00:00+01:00" } },
  {
    what: "an end in lowercase, with nanoseconds",
    spec: { ...byUids, expiresAt: "2028-02-29t23:59:59.123456789-23:59" },
  },
  {
    what: "a later end",
    before: { ...byUids, expiresAt: "2027-01-31T00:00:00Z" },
    spec: { ...byUids, expiresAt: "2027-02-28T00:00:00Z" },
  },
  { what: "a removed end", before: { ...byUids, expiresAt: "2027-01-31T00:00:00Z" }, spec: byUids },
  { what: "an observed role binding", spec: { ...byRefs, policy: { management: "Observe" } } },
  { what: "a protected deletion", spec: { ...byRefs, policy: { deletion: "Protect" } } },
  { what: "a changed policy", before: byRefs, spec: { ...byRefs, policy: { deletion: "Orphan" } } },
];
