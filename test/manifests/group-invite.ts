import { type InvalidCase, notATime, otherRoot, root, team, type ValidCase } from "./case.ts";

const oneGroup = "spec: Invalid value: exactly one of groupRef and groupUid must be set";
const oneRole = "spec: Invalid value: exactly one of roleRef and roleUid must be set";
const invite = { expiresAt: "2027-01-31T00:00:00Z", secretRef: { name: "invite" } };
const byRefs = { ...invite, groupRef: { name: "team" }, roleRef: { name: "viewer" } };
const byUids = { ...invite, groupUid: team, roleUid: otherRoot };
const immutable = (field: string) =>
  `spec.${field}: Forbidden: ${field} is immutable: an invite is never changed. Delete this GroupInvite and create another, with another Secret`;

function changed(field: string, before: object, after: object): InvalidCase {
  return {
    what: `a changed ${field}`,
    before: { ...byRefs, ...before },
    spec: { ...byRefs, ...after },
    errors: immutable(field),
    rejectedBy: "API server",
  };
}

export const invalid: readonly InvalidCase[] = [
  { what: "no group", spec: { ...byRefs, groupRef: undefined }, errors: oneGroup },
  { what: "two groups", spec: { ...byRefs, groupUid: root }, errors: oneGroup },
  { what: "no role", spec: { ...byRefs, roleRef: undefined }, errors: oneRole },
  { what: "two roles", spec: { ...byRefs, roleUid: otherRoot }, errors: oneRole },
  {
    what: "an address without an at sign",
    spec: { ...byRefs, email: "ada.example.com" },
    errors: "spec.email: Invalid value: \"ada.example.com\": an e-mail address must have one '@', and no spaces",
  },
  {
    what: "an end that is not a time",
    spec: { ...byRefs, expiresAt: "2026-11-23T19:00:00+24:00" },
    errors: `spec.expiresAt: Invalid value: "2026-11-23T19:00:00+24:00": ${notATime}`,
  },
  {
    what: "a ttl",
    spec: { ...byRefs, ttl: "86400s" },
    errors: 'unknown field "spec.ttl"',
    rejectedBy: "API server",
  },
  {
    what: "a Secret in another namespace",
    spec: { ...byRefs, secretRef: { name: "invite", namespace: "other" } },
    errors: 'unknown field "spec.secretRef.namespace"',
    rejectedBy: "API server",
  },
  changed("groupRef", {}, { groupRef: { name: "other" } }),
  changed("groupUid", { groupRef: undefined, groupUid: team }, { groupRef: undefined, groupUid: root }),
  changed("roleRef", {}, { roleRef: { name: "editor" } }),
  changed("roleUid", { roleRef: undefined, roleUid: otherRoot }, { roleRef: undefined, roleUid: root }),
  changed("email", { email: "ada@example.com" }, { email: "eve@example.com" }),
  {
    ...changed("email", { email: "ada@example.com" }, {}),
    what: "an email that is removed, so that anybody can use the code",
  },
  changed("singleUse", {}, { singleUse: false }),
  changed("expiresAt", {}, { expiresAt: "2028-01-31T00:00:00Z" }),
  changed("secretRef", {}, { secretRef: { name: "other" } }),
];

export const valid: readonly ValidCase[] = [
  { what: "references", spec: byRefs },
  { what: "uids", spec: byUids },
  {
    what: "everything",
    spec: {
      ...byRefs,
      groupRef: { name: "team", namespace: "teams" },
      roleRef: { kind: "Role", name: "scanner", namespace: "shared" },
      email: "ada@example.com",
      singleUse: false,
      policy: { management: "Full", deletion: "Protect", drift: "Report" },
    },
  },
  { what: "a changed policy", before: byRefs, spec: { ...byRefs, policy: { deletion: "Orphan" } } },
];
