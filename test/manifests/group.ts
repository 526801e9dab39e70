import { inTeam, type RightRow, otherRoot, root, team, type WrongRow } from "./row.ts";

const oneParent = "spec: Invalid value: set exactly one of parentRef and parentUid: a group lives below one parent";
const notAUid = "not a uid of the platform: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below";
const notInAGroup =
  "not a uid of something in a group: 40 hex digits (0-9, a-f), then '/' and 16 hex digits for each level below";
const name = "use only lowercase letters, digits, spaces and . _ - in a name, at least one";
const objectName =
  "not a name of a Kubernetes object: use lowercase letters, digits, '-' and '.', beginning and ending with a letter or digit";
const stays = (field: string) =>
  `spec.${field}: Forbidden: ${field} cannot be changed: the platform cannot move a group. Delete this Group and create it under the other parent`;
const uidStays =
  "spec.uid: Forbidden: uid cannot be changed: delete this Group (policy.deletion: Orphan keeps the group) and create another";

export const wrong: readonly WrongRow[] = [
  { what: "no spec", refused: "spec: Required value" },
  { what: "an empty spec", spec: {}, refused: oneParent },
  { what: "two parents", spec: { parentRef: { name: "root" }, parentUid: root }, refused: oneParent },
  {
    what: "a parentRef that is only a name",
    spec: { parentRef: "root" },
    refused: 'spec.parentRef: Invalid value: "string": spec.parentRef in body must be of type object: "string"',
  },
  { what: "a parentRef without name", spec: { parentRef: {} }, refused: "spec.parentRef.name: Required value" },
  {
    what: "a parentRef with namespace/name",
    spec: { parentRef: { name: "teams/root" } },
    refused: `spec.parentRef.name: Invalid value: "teams/root": ${objectName}`,
  },
  {
    what: "a parentRef with capitals",
    spec: { parentRef: { name: "Root" } },
    refused: `spec.parentRef.name: Invalid value: "Root": ${objectName}`,
  },
  {
    what: "a namespace with dots",
    spec: { parentRef: { name: "root", namespace: "a.b" } },
    refused:
      "spec.parentRef.namespace: Invalid value: \"a.b\": not a name of a namespace: use lowercase letters, digits and '-', beginning and ending with a letter or digit",
  },
  {
    what: "a parentRef with a kind",
    spec: { parentRef: { name: "root", kind: "Group" } },
    refused: 'unknown field "spec.parentRef.kind"',
    seenBy: "API server",
  },
  {
    what: "a parent's name as its uid",
    spec: { parentUid: "root" },
    refused: `spec.parentUid: Invalid value: "root": ${notAUid}`,
  },
  { what: "an empty parentUid", spec: { parentUid: "" }, refused: `spec.parentUid: Invalid value: "": ${notAUid}` },
  {
    what: "a parentUid in capitals",
    spec: { parentUid: otherRoot.toUpperCase() },
    refused: `spec.parentUid: Invalid value: "${otherRoot.toUpperCase()}": ${notAUid}`,
  },
  {
    what: "a parentUid that ends with a slash",
    spec: { parentUid: `${root}/` },
    refused: `spec.parentUid: Invalid value: "${root}/": ${notAUid}`,
  },
  {
    what: "a parentUid with a line break after it",
    spec: { parentUid: `${root}\n` },
    refused: `spec.parentUid: Invalid value: "${root}\\n": ${notAUid}`,
  },
  {
    what: "an id in the manner of Kubernetes",
    spec: { parentUid: "7e6ace7a-3a65-48a9-80a5-0d17bec15bf2" },
    refused: `spec.parentUid: Invalid value: "7e6ace7a-3a65-48a9-80a5-0d17bec15bf2": ${notAUid}`,
  },
  {
    what: "a parentUid that YAML reads as a number",
    spec: { parentUid: 1234567890 },
    refused: 'spec.parentUid: Invalid value: "integer": spec.parentUid in body must be of type string: "integer"',
  },
  {
    what: "a name with capitals",
    spec: { parentUid: root, name: "Payments" },
    refused: `spec.name: Invalid value: "Payments": ${name}`,
  },
  {
    what: "a name with a slash",
    spec: { parentUid: root, name: "payments/prod" },
    refused: `spec.name: Invalid value: "payments/prod": ${name}`,
  },
  { what: "an empty name", spec: { parentUid: root, name: "" }, refused: `spec.name: Invalid value: "": ${name}` },
  {
    what: "a name beyond ASCII",
    spec: { parentUid: root, name: "zürich" },
    refused: `spec.name: Invalid value: "zürich": ${name}`,
  },
  {
    what: "a name that is too long",
    spec: { parentUid: root, name: "n".repeat(513) },
    refused: "spec.name: Too long: may not be more than 512 bytes",
  },
  {
    what: "a description of 478 characters",
    spec: { parentUid: root, description: "d".repeat(478) },
    refused: `spec.description: Invalid value: "${"d".repeat(478)}": at most 477 characters: the platform takes 512, and 35 hold the mark by which Muster knows its own objects`,
  },
  {
    what: "a description of two lines",
    spec: { parentUid: root, description: "one\ntwo" },
    refused: 'spec.description: Invalid value: "one\\ntwo": must be one line: no tabs and no line breaks',
  },
  {
    what: "a description with a tab",
    spec: { parentUid: root, description: "one\ttwo" },
    refused: 'spec.description: Invalid value: "one\\ttwo": must be one line: no tabs and no line breaks',
  },
  {
    what: "a description with Muster's mark, copied from the platform",
    spec: { parentUid: root, description: "all of it [muster:0123abcd-0123456789abcdef]" },
    refused:
      "spec.description: Invalid value: \"all of it [muster:0123abcd-0123456789abcdef]\": may not contain '[muster:': this is how Muster marks its own objects",
  },
  {
    what: "a field with a slip of the pen",
    spec: { parentUid: root, descripton: "all of it" },
    refused: 'unknown field "spec.descripton"',
    seenBy: "API server",
  },
  {
    what: "the uid of a root group",
    spec: { parentUid: root, uid: otherRoot },
    refused: [
      `spec.uid: Invalid value: "${otherRoot}": ${notInAGroup}`,
      "spec.uid: Invalid value: uid must be directly below parentUid: the same text, then '/' and 16 hex digits",
    ],
  },
  {
    what: "a uid elsewhere",
    spec: { parentUid: otherRoot, uid: team },
    refused: "spec.uid: Invalid value: uid must be directly below parentUid: the same text, then '/' and 16 hex digits",
  },
  {
    what: "a uid two levels below the parent",
    spec: { parentUid: root, uid: inTeam },
    refused: "spec.uid: Invalid value: uid must be directly below parentUid: the same text, then '/' and 16 hex digits",
  },
  {
    what: "an unknown adoption",
    spec: { parentUid: root, policy: { adoption: "Always" } },
    refused: 'spec.policy.adoption: Unsupported value: "Always": supported values: "Never", "IfExists"',
  },
  {
    what: "an unknown deletion",
    spec: { parentUid: root, policy: { deletion: "Retain" } },
    refused: 'spec.policy.deletion: Unsupported value: "Retain": supported values: "Delete", "Orphan"',
  },
  {
    what: "an unknown drift",
    spec: { parentUid: root, policy: { drift: "Ignore" } },
    refused: 'spec.policy.drift: Unsupported value: "Ignore": supported values: "Correct", "Report"',
  },
  {
    what: "another parentUid",
    before: { parentUid: root },
    spec: { parentUid: otherRoot },
    refused: stays("parentUid"),
    seenBy: "API server",
  },
  {
    what: "another parentRef",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "b" } },
    refused: stays("parentRef"),
    seenBy: "API server",
  },
  {
    what: "a parentRef in another namespace",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "a", namespace: "b" } },
    refused: stays("parentRef"),
    seenBy: "API server",
  },
  {
    what: "a parentRef that goes, a parentUid that comes",
    before: { parentRef: { name: "a" } },
    spec: { parentUid: root },
    refused: [stays("parentRef"), stays("parentUid")],
    seenBy: "API server",
  },
  {
    what: "a parentUid that goes, a parentRef that comes",
    before: { parentUid: root },
    spec: { parentRef: { name: "a" } },
    refused: [stays("parentRef"), stays("parentUid")],
    seenBy: "API server",
  },
  {
    what: "a parentUid that goes",
    before: { parentUid: root },
    spec: {},
    refused: [oneParent, stays("parentUid")],
    seenBy: "API server",
  },
  {
    what: "a uid that comes",
    before: { parentUid: root },
    spec: { parentUid: root, uid: team },
    refused: uidStays,
    seenBy: "API server",
  },
  {
    what: "a uid that goes",
    before: { parentUid: root, uid: team },
    spec: { parentUid: root },
    refused: uidStays,
    seenBy: "API server",
  },
  {
    what: "another uid",
    before: { parentUid: root, uid: team },
    spec: { parentUid: root, uid: `${root}/3333333333333333` },
    refused: uidStays,
    seenBy: "API server",
  },
];

export const right: readonly RightRow[] = [
  { what: "a parent by uid", spec: { parentUid: root } },
  { what: "a parent far down", spec: { parentUid: inTeam } },
  { what: "a parent by reference", spec: { parentRef: { name: "root" } } },
  { what: "a parent in another namespace", spec: { parentRef: { name: "root.v2", namespace: "teams" } } },
  { what: "a name with all that may be in one", spec: { parentUid: root, name: "payments prod_2.eu-west" } },
  { what: "a description", spec: { parentUid: root, description: 'Zürich & Genève: "all" of it – ☂ [x]' } },
  { what: "an empty description", spec: { parentUid: root, description: "" } },
  { what: "a description of 477 characters", spec: { parentUid: root, description: "d".repeat(477) } },
  { what: "a description of 477 umbrellas", spec: { parentUid: root, description: "🌂".repeat(477) } },
  { what: "an existing group by uid", spec: { parentUid: root, uid: team, policy: { deletion: "Orphan" } } },
  { what: "an existing group below a reference", spec: { parentRef: { name: "a" }, uid: inTeam } },
  {
    what: "a whole policy",
    spec: { parentUid: root, policy: { adoption: "IfExists", deletion: "Orphan", drift: "Report" } },
  },
  { what: "another name", before: { parentUid: root, name: "a" }, spec: { parentUid: root, name: "b" } },
  { what: "a name that goes", before: { parentUid: root, name: "a" }, spec: { parentUid: root } },
  {
    what: "a description that comes",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "a" }, description: "d" },
  },
  {
    what: "another policy",
    before: { parentUid: root, uid: team, policy: { drift: "Report" } },
    spec: { parentUid: root, uid: team, policy: { adoption: "IfExists", deletion: "Orphan" } },
  },
];
