import { inTeam, otherRoot, type RightRow, root, team, type WrongRow } from "./row.ts";

const oneGroup = "spec: Invalid value: set exactly one of groupRef and groupUid: a role is granted in one group";
const oneIdentity =
  "spec: Invalid value: set exactly one of identityRef and identityUid: a role is granted to one identity";
const oneRole = "spec: Invalid value: set exactly one of roleRef and roleUid: one role is granted";
const notInAGroup =
  "not a uid of something in a group: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below";
const stays = (field: string) =>
  `spec.${field}: Forbidden: ${field} cannot be changed: a changed grant is another grant. Delete this RoleBinding and create a new one`;

const byRefs = { groupRef: { name: "team" }, identityRef: { name: "robot" }, roleRef: { name: "viewer" } };
const byUids = { groupUid: team, identityUid: inTeam, roleUid: otherRoot };

export const wrong: readonly WrongRow[] = [
  { what: "an empty spec", spec: {}, refused: [oneGroup, oneIdentity, oneRole] },
  { what: "no group", spec: { ...byRefs, groupRef: undefined }, refused: oneGroup },
  { what: "two groups", spec: { ...byRefs, groupUid: root }, refused: oneGroup },
  { what: "no identity", spec: { ...byRefs, identityRef: undefined }, refused: oneIdentity },
  { what: "two identities", spec: { ...byRefs, identityUid: inTeam }, refused: oneIdentity },
  { what: "no role", spec: { ...byRefs, roleRef: undefined }, refused: oneRole },
  { what: "two roles", spec: { ...byRefs, roleUid: otherRoot }, refused: oneRole },
  {
    what: "a role as bare text",
    spec: { ...byRefs, roleRef: "viewer" },
    refused: 'spec.roleRef: Invalid value: "string": spec.roleRef in body must be of type object: "string"',
  },
  {
    what: "a role in the manner of Kubernetes",
    spec: { ...byRefs, roleRef: { kind: "Role", name: "viewer" } },
    refused: 'unknown field "spec.roleRef.kind"',
    seenBy: "API server",
  },
  {
    what: "a role with capitals",
    spec: { ...byRefs, roleRef: { name: "Viewer" } },
    refused:
      'spec.roleRef.name: Invalid value: "Viewer": use only lowercase letters, digits, spaces and . _ - in a role\'s name, at least one',
  },
  {
    what: "subjects in the manner of Kubernetes",
    spec: { ...byRefs, subjects: [{ kind: "ServiceAccount", name: "robot" }] },
    refused: 'unknown field "spec.subjects"',
    seenBy: "API server",
  },
  {
    what: "a description, which a role binding has not",
    spec: { ...byRefs, description: "reads" },
    refused: 'unknown field "spec.description"',
    seenBy: "API server",
  },
  {
    what: "a group's uid as the identity's",
    spec: { ...byUids, identityUid: root },
    refused: `spec.identityUid: Invalid value: "${root}": ${notInAGroup}`,
  },
  {
    what: "a role's name as its uid",
    spec: { ...byUids, roleUid: "viewer" },
    refused:
      "spec.roleUid: Invalid value: \"viewer\": not a uid of the platform: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below",
  },
  {
    what: "an existing binding of another group",
    spec: { ...byUids, uid: `${root}/4444444444444444` },
    refused: "spec.uid: Invalid value: uid must be directly below groupUid: the same text, then '/' and 16 hex digits",
  },
  {
    what: "another group",
    before: byUids,
    spec: { ...byUids, groupUid: root },
    refused: stays("groupUid"),
    seenBy: "API server",
  },
  {
    what: "another groupRef",
    before: byRefs,
    spec: { ...byRefs, groupRef: { name: "other" } },
    refused: stays("groupRef"),
    seenBy: "API server",
  },
  {
    what: "another identityRef",
    before: byRefs,
    spec: { ...byRefs, identityRef: { name: "other" } },
    refused: stays("identityRef"),
    seenBy: "API server",
  },
  {
    what: "another identityUid",
    before: byUids,
    spec: { ...byUids, identityUid: `${team}/4444444444444444` },
    refused: stays("identityUid"),
    seenBy: "API server",
  },
  {
    what: "another role",
    before: byRefs,
    spec: { ...byRefs, roleRef: { name: "owner" } },
    refused: stays("roleRef"),
    seenBy: "API server",
  },
  {
    what: "another roleUid",
    before: byUids,
    spec: { ...byUids, roleUid: root },
    refused: stays("roleUid"),
    seenBy: "API server",
  },
  {
    what: "a roleRef that goes, a roleUid that comes",
    before: byRefs,
    spec: { ...byRefs, roleRef: undefined, roleUid: otherRoot },
    refused: [stays("roleRef"), stays("roleUid")],
    seenBy: "API server",
  },
  {
    what: "an identityUid that goes, an identityRef that comes",
    before: byUids,
    spec: { ...byUids, identityUid: undefined, identityRef: { name: "robot" } },
    refused: [stays("identityRef"), stays("identityUid")],
    seenBy: "API server",
  },
  {
    what: "a uid that comes",
    before: byUids,
    spec: { ...byUids, uid: `${team}/4444444444444444` },
    refused: stays("uid"),
    seenBy: "API server",
  },
];

export const right: readonly RightRow[] = [
  { what: "references", spec: byRefs },
  { what: "uids", spec: byUids },
  { what: "a role of the group's own", spec: { ...byUids, roleUid: `${team}/5555555555555555` } },
  { what: "a role with a dot", spec: { ...byRefs, roleRef: { name: "registry.pull" } } },
  {
    what: "references to other namespaces",
    spec: {
      groupRef: { name: "team", namespace: "teams" },
      identityRef: { name: "robot", namespace: "robots" },
      roleRef: { name: "editor" },
    },
  },
  { what: "an existing binding", spec: { ...byUids, uid: `${team}/4444444444444444`, policy: { adoption: "Never" } } },
  { what: "another policy", before: byRefs, spec: { ...byRefs, policy: { deletion: "Orphan" } } },
];
