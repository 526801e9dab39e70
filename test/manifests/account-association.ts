import { inTeam, type InvalidCase, root, team, type ValidCase } from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const noAccount =
  "spec: Invalid value: at least one of amazon, google, azure and github must be set, unless policy.management is Observe";
const fixedGroup = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: an account association cannot be moved. Delete this AccountAssociation and create it for the other group`;
const id = "must be 1 to 18 digits in quotes, without leading zeros";
const amazon = { account: "123456789012" };
const byRef = { groupRef: { name: "team" }, amazon };
const byUid = { groupUid: team, amazon };
const app = (...installations: readonly object[]) => ({ apps: [{ appId: "123", installations }] });

export const invalid: readonly InvalidCase[] = [
  { what: "no group", spec: { amazon }, errors: oneGroup },
  { what: "two groups", spec: { ...byRef, groupUid: root }, errors: oneGroup },
  { what: "no account", spec: { groupRef: { name: "team" } }, errors: noAccount },
  {
    what: "an AWS account with a dash",
    spec: { ...byRef, amazon: { account: "1234-5678-9012" } },
    errors:
      'spec.amazon.account: Invalid value: "1234-5678-9012": an AWS account must be 12 digits, such as "123456789012"',
  },
  {
    what: "a Google Cloud project without its number",
    spec: { ...byRef, google: { projectId: "acme-shop" } },
    errors: "spec.google.projectNumber: Required value",
  },
  {
    what: "the name of a project for its number",
    spec: { ...byRef, google: { projectId: "acme-shop", projectNumber: "acme" } },
    errors: 'spec.google.projectNumber: Invalid value: "acme": must be 1 to 18 digits in quotes',
  },
  { what: "Azure without a tenant", spec: { ...byRef, azure: {} }, errors: "spec.azure.tenantId: Required value" },
  {
    what: "a client ID without a name",
    spec: { ...byRef, azure: { tenantId: "acme", clientIds: { "": "1" } } },
    errors: "spec.azure.clientIds: Invalid value: the name of a client ID must have 1 to 256 characters",
  },
  {
    what: "an installation by its name",
    spec: { ...byRef, github: app({ installationId: "acme" }) },
    errors: `spec.github.apps[0].installations[0].installationId: Invalid value: "acme": ${id}`,
  },
  {
    what: "an installation with leading zeros, which the platform does not keep",
    spec: { ...byRef, github: app({ installationId: "0041234567" }) },
    errors: `spec.github.apps[0].installations[0].installationId: Invalid value: "0041234567": ${id}`,
  },
  {
    what: "a GitHub App with a leading zero",
    spec: { ...byRef, github: { apps: [{ appId: "0123", installations: [{ installationId: "1" }] }] } },
    errors: `spec.github.apps[0].appId: Invalid value: "0123": ${id}`,
  },
  {
    what: "an uid, because a group has one account association",
    spec: { ...byRef, uid: inTeam },
    errors: 'unknown field "spec.uid"',
    rejectedBy: "API server",
  },
  {
    what: "a changed groupUid",
    before: byUid,
    spec: { ...byUid, groupUid: root },
    errors: fixedGroup("groupUid"),
    rejectedBy: "API server",
  },
  {
    what: "a changed groupRef",
    before: byRef,
    spec: { ...byRef, groupRef: { name: "other" } },
    errors: fixedGroup("groupRef"),
    rejectedBy: "API server",
  },
];

export const valid: readonly ValidCase[] = [
  { what: "a reference", spec: byRef },
  { what: "a uid", spec: byUid },
  { what: "no account, only observed", spec: { groupUid: team, policy: { management: "Observe" } } },
  {
    what: "the number of a project with a leading zero, which the platform keeps",
    spec: { ...byRef, google: { projectId: "acme-shop", projectNumber: "012345678901" } },
  },
  {
    what: "everything",
    spec: {
      ...byRef,
      groupRef: { name: "team", namespace: "teams" },
      name: "cloud",
      description: "Accounts of the team",
      google: { projectId: "acme-shop", projectNumber: "123456789012" },
      azure: { tenantId: "6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f", clientIds: { ci: "1b2c" } },
      github: app({ installationId: "41234567", name: "acme" }, { installationId: "41234568" }),
      policy: { adoption: "IfExists", deletion: "Orphan", drift: "Report" },
    },
  },
  { what: "another account", before: byRef, spec: { ...byRef, amazon: { account: "210987654321" } } },
];
