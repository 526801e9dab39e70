import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { type GroupInvite, groupInviteSpecSchema } from "#src/api/group-invite.ts";
import { groupInviteKind } from "./group-invite.ts";

const group = "a".repeat(40);
const role = "c".repeat(40);
const context = { serviceAccounts: { issuer: "https://cluster.example", audience: "auth.example" } };
const { collection, identification } = groupInviteKind;
const issued = identification.by === "secret" ? identification.code : undefined;

function invite(spec: object = {}): GroupInvite {
  const parsed = groupInviteSpecSchema.parse({
    groupUid: group,
    ...("roleUid" in spec ? {} : { roleRef: { name: "viewer" } }),
    expiresAt: "2027-01-31T00:00:00Z",
    secretRef: { name: "invite" },
    ...spec,
  });
  return { apiVersion: "iam.muster.dev/v1beta1", kind: "GroupInvite", metadata: { name: "ada" }, spec: parsed };
}

const desired = (spec: object = {}) => groupInviteKind.desired(invite(spec), { parent: group, role }, context);
const external = (fields: object = {}) =>
  collection.schema.parse({ uid: `${group}/1111111111111111`, role: { uid: role, name: "viewer" }, ...fields });

it("equals the platform's form of what it desires, whose empty fields are left out", () => {
  const many = desired({ singleUse: false });
  expect(groupInviteKind.actual(external(), many)).toEqual(many);
  const one = desired({ email: "ada@example.com" });
  expect(groupInviteKind.actual(external({ email: "ada@example.com", singleUse: true }), one)).toEqual(one);
});

it.each([
  ["ada@example.com", true],
  ["Ada@Example.com", true],
  ["eve@example.com", false],
  ["", false],
])("compares e-mail addresses without regard to case: %j", (email, isSame) => {
  const one = desired({ email: "Ada@example.com" });
  expect(isDeepStrictEqual(groupInviteKind.actual(external({ email, singleUse: true }), one), one)).toBe(isSame);
});

it("requests a lifetime, to the millisecond", () => {
  expect(issued?.expiringAt(desired(), 1_500)).toEqual({ ...desired(), ttl: "1.5s" });
  const longest = Date.parse("9999-12-31T23:59:59.999Z");
  expect(issued?.expiringAt({}, longest)).toEqual({ ttl: "253402300799.999s" });
});

it("has its code only in the form that the response to the create request has", () => {
  const response = { ...external({ singleUse: true }), code: "planted" };
  expect(issued?.codeOf(collection.issuing?.schema.parse(response) ?? external())).toBe("planted");
  expect(JSON.stringify(collection.schema.parse(response))).not.toContain("planted");
  expect(collection.issuing?.schema.safeParse(external()).success).toBe(false);
});

it.each<[string, object, string]>([
  ["ttl", {}, "spec.expiresAt"],
  ["role_uid", {}, "spec.roleRef"],
  ["roleUid", { roleUid: role }, "spec.roleUid"],
  ["single_use", {}, "spec.singleUse"],
  ["email", {}, "spec.email"],
])("names the field of the spec for an error about %s", (field, spec, path) => {
  expect(groupInviteKind.specPath(field, invite(spec))).toBe(path);
});
