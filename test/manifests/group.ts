import { inTeam, type ValidCase, otherRoot, root, team, type InvalidCase } from "./case.ts";

const oneParent = "spec: Invalid value: exactly one of parentRef and parentUid must be set";
const notAUid =
  "must be a uid of the platform: 40 hex digits (0-9, a-f), followed by '/' and 16 hex digits for each level below the root";
const name = "a name must be lowercase letters, digits, spaces and the characters . _ -, at least one of them";
const objectName =
  "must be the name of a Kubernetes object: lowercase letters, digits, '-' and '.', starting and ending with a letter or digit";
const namespaceName =
  "must be the name of a namespace: lowercase letters, digits and '-', starting and ending with a letter or digit";
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: a group cannot be moved. Delete this Group and create it under the other parent`;
const uidIsImmutable =
  "spec.uid: Forbidden: uid is immutable: delete this Group (policy.deletion: Orphan keeps the group on the platform) and create another";

export const invalid: readonly InvalidCase[] = [
  { what: "a missing spec", errors: "spec: Required value" },
  { what: "an empty spec", spec: {}, errors: oneParent },
  { what: "two parents", spec: { parentRef: { name: "root" }, parentUid: root }, errors: oneParent },
  {
    what: "a parentRef that is a string",
    spec: { parentRef: "root" },
    errors: 'spec.parentRef: Invalid value: "string": spec.parentRef in body must be of type object: "string"',
  },
  { what: "a parentRef without a name", spec: { parentRef: {} }, errors: "spec.parentRef.name: Required value" },
  {
    what: "a parentRef whose name contains a slash",
    spec: { parentRef: { name: "teams/root" } },
    errors: `spec.parentRef.name: Invalid value: "teams/root": ${objectName}`,
  },
  {
    what: "a parentRef whose name has capitals",
    spec: { parentRef: { name: "Root" } },
    errors: `spec.parentRef.name: Invalid value: "Root": ${objectName}`,
  },
  {
    what: "a namespace that contains a dot",
    spec: { parentRef: { name: "root", namespace: "a.b" } },
    errors:
      "spec.parentRef.namespace: Invalid value: \"a.b\": must be the name of a namespace: lowercase letters, digits and '-', starting and ending with a letter or digit",
  },
  {
    what: "a parentRef with a kind",
    spec: { parentRef: { name: "root", kind: "Group" } },
    errors: 'unknown field "spec.parentRef.kind"',
    rejectedBy: "API server",
  },
  {
    what: "a name as parentUid",
    spec: { parentUid: "root" },
    errors: `spec.parentUid: Invalid value: "root": ${notAUid}`,
  },
  { what: "an empty parentUid", spec: { parentUid: "" }, errors: `spec.parentUid: Invalid value: "": ${notAUid}` },
  {
    what: "a parentUid in capitals",
    spec: { parentUid: otherRoot.toUpperCase() },
    errors: `spec.parentUid: Invalid value: "${otherRoot.toUpperCase()}": ${notAUid}`,
  },
  {
    what: "a parentUid that ends with a slash",
    spec: { parentUid: `${root}/` },
    errors: `spec.parentUid: Invalid value: "${root}/": ${notAUid}`,
  },
  {
    what: "a parentUid that ends with a line break",
    spec: { parentUid: `${root}\n` },
    errors: `spec.parentUid: Invalid value: "${root}\\n": ${notAUid}`,
  },
  {
    what: "a Kubernetes UID as parentUid",
    spec: { parentUid: "7e6ace7a-3a65-48a9-80a5-0d17bec15bf2" },
    errors: `spec.parentUid: Invalid value: "7e6ace7a-3a65-48a9-80a5-0d17bec15bf2": ${notAUid}`,
  },
  {
    what: "a parentUid that YAML reads as a number",
    spec: { parentUid: 1234567890 },
    errors: 'spec.parentUid: Invalid value: "integer": spec.parentUid in body must be of type string: "integer"',
  },
  {
    what: "a name with capitals",
    spec: { parentUid: root, name: "Payments" },
    errors: `spec.name: Invalid value: "Payments": ${name}`,
  },
  {
    what: "a name with a slash",
    spec: { parentUid: root, name: "payments/prod" },
    errors: `spec.name: Invalid value: "payments/prod": ${name}`,
  },
  { what: "an empty name", spec: { parentUid: root, name: "" }, errors: `spec.name: Invalid value: "": ${name}` },
  {
    what: "a name with characters beyond ASCII",
    spec: { parentUid: root, name: "zürich" },
    errors: `spec.name: Invalid value: "zürich": ${name}`,
  },
  {
    what: "a name that is too long",
    spec: { parentUid: root, name: "n".repeat(513) },
    errors: "spec.name: Too long: may not be more than 512 bytes",
  },
  {
    what: "a description of 478 characters",
    spec: { parentUid: root, description: "d".repeat(478) },
    errors: `spec.description: Invalid value: "${"d".repeat(478)}": must be at most 477 characters: the platform allows 512, and 35 are reserved for the marker by which Muster finds its own resources`,
  },
  {
    what: "a description of two lines",
    spec: { parentUid: root, description: "one\ntwo" },
    errors:
      'spec.description: Invalid value: "one\\ntwo": must be one line without tabs; in YAML, use quotes instead of | or >',
  },
  {
    what: "a description with a tab",
    spec: { parentUid: root, description: "one\ttwo" },
    errors:
      'spec.description: Invalid value: "one\\ttwo": must be one line without tabs; in YAML, use quotes instead of | or >',
  },
  {
    what: "a description with Muster's marker, copied from the platform",
    spec: { parentUid: root, description: "all of it [muster:0123abcd-0123456789abcdef]" },
    errors:
      "spec.description: Invalid value: \"all of it [muster:0123abcd-0123456789abcdef]\": must not contain '[muster:' or '[muster-owner:', which are reserved for what Muster records in descriptions",
  },
  {
    what: "a misspelled field",
    spec: { parentUid: root, descripton: "all of it" },
    errors: 'unknown field "spec.descripton"',
    rejectedBy: "API server",
  },
  {
    what: "the uid of a root group",
    spec: { parentUid: root, uid: otherRoot },
    errors:
      "spec.uid: Invalid value: uid must be directly below parentUid: the value of parentUid, followed by '/' and 16 hex digits",
  },
  {
    what: "a uid that is not below the parent",
    spec: { parentUid: otherRoot, uid: team },
    errors:
      "spec.uid: Invalid value: uid must be directly below parentUid: the value of parentUid, followed by '/' and 16 hex digits",
  },
  {
    what: "a uid two levels below the parent",
    spec: { parentUid: root, uid: inTeam },
    errors:
      "spec.uid: Invalid value: uid must be directly below parentUid: the value of parentUid, followed by '/' and 16 hex digits",
  },
  {
    what: "an unknown adoption",
    spec: { parentUid: root, policy: { adoption: "Always" } },
    errors: 'spec.policy.adoption: Unsupported value: "Always": supported values: "Never", "IfExists"',
  },
  {
    what: "an unknown deletion",
    spec: { parentUid: root, policy: { deletion: "Retain" } },
    errors: 'spec.policy.deletion: Unsupported value: "Retain": supported values: "Delete", "Orphan", "Protect"',
  },
  {
    what: "an unknown drift",
    spec: { parentUid: root, policy: { drift: "Ignore" } },
    errors: 'spec.policy.drift: Unsupported value: "Ignore": supported values: "Correct", "Report"',
  },
  {
    what: "an unknown management",
    spec: { parentUid: root, policy: { management: "Ignore" } },
    errors: 'spec.policy.management: Unsupported value: "Ignore": supported values: "Full", "Observe"',
  },
  {
    what: "an unknown undeclared",
    spec: { parentUid: root, undeclared: "Delete" },
    errors: 'spec.undeclared: Unsupported value: "Delete": supported values: "Ignore", "Report", "Remove"',
  },
  {
    what: "an observed group without parent and uid",
    spec: { policy: { management: "Observe" } },
    errors: "spec.uid: Invalid value: uid must be set if policy.management is Observe and the group has no parent",
  },
  { what: "a managed group that has only a uid", spec: { uid: root }, errors: oneParent },
  {
    what: "an observed group with two parents",
    spec: { parentRef: { name: "root" }, parentUid: root, policy: { management: "Observe" } },
    errors: oneParent,
  },
  {
    what: "an observed root group that becomes managed",
    before: { uid: root, policy: { management: "Observe" } },
    spec: { uid: root },
    errors: oneParent,
    rejectedBy: "API server",
  },
  {
    what: "an allowed namespace that is a pattern",
    spec: { parentUid: root, allowedNamespaces: ["team-*"] },
    errors: `spec.allowedNamespaces[0]: Invalid value: "team-*": ${namespaceName}`,
  },
  {
    what: "the same allowed namespace twice",
    spec: { parentUid: root, allowedNamespaces: ["team", "team"] },
    errors: 'spec.allowedNamespaces[1]: Duplicate value: "team"',
    rejectedBy: "API server",
  },
  {
    what: "65 allowed namespaces",
    spec: { parentUid: root, allowedNamespaces: Array.from({ length: 65 }, (_, index) => `team-${index}`) },
    errors: "spec.allowedNamespaces: Too many: 65: must have at most 64 items",
  },
  {
    what: "a changed parentUid",
    before: { parentUid: root },
    spec: { parentUid: otherRoot },
    errors: immutable("parentUid"),
    rejectedBy: "API server",
  },
  {
    what: "a changed parentRef",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "b" } },
    errors: immutable("parentRef"),
    rejectedBy: "API server",
  },
  {
    what: "a changed namespace of parentRef",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "a", namespace: "b" } },
    errors: immutable("parentRef"),
    rejectedBy: "API server",
  },
  {
    what: "a parentRef replaced with a parentUid",
    before: { parentRef: { name: "a" } },
    spec: { parentUid: root },
    errors: [immutable("parentRef"), immutable("parentUid")],
    rejectedBy: "API server",
  },
  {
    what: "a parentUid replaced with a parentRef",
    before: { parentUid: root },
    spec: { parentRef: { name: "a" } },
    errors: [immutable("parentRef"), immutable("parentUid")],
    rejectedBy: "API server",
  },
  {
    what: "a removed parentUid",
    before: { parentUid: root },
    spec: {},
    errors: [oneParent, immutable("parentUid")],
    rejectedBy: "API server",
  },
  {
    what: "an added uid",
    before: { parentUid: root },
    spec: { parentUid: root, uid: team },
    errors: uidIsImmutable,
    rejectedBy: "API server",
  },
  {
    what: "a removed uid",
    before: { parentUid: root, uid: team },
    spec: { parentUid: root },
    errors: uidIsImmutable,
    rejectedBy: "API server",
  },
  {
    what: "a changed uid",
    before: { parentUid: root, uid: team },
    spec: { parentUid: root, uid: `${root}/3333333333333333` },
    errors: uidIsImmutable,
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "a parentUid", spec: { parentUid: root } },
  { what: "a parentUid two levels below the root", spec: { parentUid: inTeam } },
  { what: "a parentRef", spec: { parentRef: { name: "root" } } },
  { what: "a parentRef to another namespace", spec: { parentRef: { name: "root.v2", namespace: "teams" } } },
  { what: "a name with every allowed character", spec: { parentUid: root, name: "payments prod_2.eu-west" } },
  { what: "a description", spec: { parentUid: root, description: 'Zürich & Genève: "all" of it – ☂ [x]' } },
  { what: "an empty description", spec: { parentUid: root, description: "" } },
  { what: "a description of 477 characters", spec: { parentUid: root, description: "d".repeat(477) } },
  { what: "a description of 477 umbrellas", spec: { parentUid: root, description: "🌂".repeat(477) } },
  { what: "an existing group by uid", spec: { parentUid: root, uid: team, policy: { deletion: "Orphan" } } },
  { what: "an existing group with a parentRef", spec: { parentRef: { name: "a" }, uid: inTeam } },
  {
    what: "a complete policy",
    spec: { parentUid: root, policy: { adoption: "IfExists", deletion: "Orphan", drift: "Report" } },
  },
  { what: "a deletion that is protected", spec: { parentUid: root, policy: { deletion: "Protect" } } },
  { what: "an observed root group", spec: { uid: root, policy: { management: "Observe" } } },
  { what: "an observed group by its name", spec: { parentUid: root, policy: { management: "Observe" } } },
  { what: "namespaces of other Tenants", spec: { parentUid: root, allowedNamespaces: ["shop", "billing"] } },
  { what: "undeclared access to remove", spec: { parentUid: root, undeclared: "Remove" } },
  {
    what: "a managed group that becomes observed",
    before: { parentUid: root },
    spec: { parentUid: root, policy: { management: "Observe" } },
  },
  { what: "a changed name", before: { parentUid: root, name: "a" }, spec: { parentUid: root, name: "b" } },
  { what: "a removed name", before: { parentUid: root, name: "a" }, spec: { parentUid: root } },
  {
    what: "an added description",
    before: { parentRef: { name: "a" } },
    spec: { parentRef: { name: "a" }, description: "d" },
  },
  {
    what: "a changed policy",
    before: { parentUid: root, uid: team, policy: { drift: "Report" } },
    spec: { parentUid: root, uid: team, policy: { adoption: "IfExists", deletion: "Orphan" } },
  },
];
