import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { Capability } from "../authorization/capability.ts";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { IdentityProviderSchema } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { RoleSchema } from "../gen/muster/platform/iam/v2beta1/role_pb.ts";
import { fieldChanges } from "./field-changes.ts";

const provider = (clientSecret: string, clientId = "c") =>
  create(IdentityProviderSchema, {
    name: "p",
    configuration: { case: "oidc", value: { issuer: "https://i.example.com", clientId, clientSecret } },
  });
const identity = (value: MessageInitShape<typeof IdentitySchema>["relationship"]) =>
  create(IdentitySchema, { name: "i", ...(value && { relationship: value }) });

describe("fieldChanges", () => {
  it("returns all fields for create and delete, except those that the platform maintains", () => {
    const time = timestampFromMs(1_700_000_000_000);
    const group = create(GroupSchema, { uid: "a", name: "g", verified: true, createTime: time, updateTime: time });
    expect(fieldChanges(GroupSchema, undefined, group)).toEqual({ name: { new: "g" }, verified: { new: true } });
    expect(fieldChanges(GroupSchema, group, undefined)).toEqual({ name: { old: "g" }, verified: { old: true } });
  });

  it("returns the old and new values of the fields that differ", () => {
    const before = create(GroupSchema, { name: "g", description: "d" });
    expect(fieldChanges(GroupSchema, before, create(GroupSchema, { name: "h", description: "d" }))).toEqual({
      name: { old: "g", new: "h" },
    });
    expect(fieldChanges(GroupSchema, before, create(GroupSchema, { name: "g" }))).toEqual({
      description: { old: "d" },
    });
    const later = create(GroupSchema, { name: "g", description: "d", updateTime: timestampFromMs(5) });
    expect(fieldChanges(GroupSchema, before, later)).toEqual({});
  });

  it("descends into messages and shows lists as a whole", () => {
    const value = { iss: { case: "issuer", value: "https://i" }, sub: { case: "subject", value: "s" } } as const;
    const pattern = { iss: value.iss, sub: { case: "subjectPattern", value: "s.*" } } as const;
    const before = identity({ case: "claimMatch", value });
    expect(fieldChanges(IdentitySchema, before, identity({ case: "claimMatch", value: pattern }))).toEqual({
      "claimMatch.subject": { old: "s" },
      "claimMatch.subjectPattern": { new: "s.*" },
    });
    const both = [Capability.CAP_TAG_LIST, Capability.CAP_REPO_LIST];
    const role = (capabilities: Capability[]) => create(RoleSchema, { capabilities });
    expect(fieldChanges(RoleSchema, role([Capability.CAP_TAG_LIST]), role(both))).toEqual({
      capabilities: { old: ["CAP_TAG_LIST"], new: ["CAP_TAG_LIST", "CAP_REPO_LIST"] },
    });
  });

  it("shows that a secret changed, but not its value", () => {
    const created = fieldChanges(IdentityProviderSchema, undefined, provider("hunter2"));
    expect(created["oidc.clientSecret"]).toEqual({ new: "(secret)" });
    const changed = fieldChanges(IdentityProviderSchema, provider("hunter2"), provider("hunter3"));
    expect(changed).toEqual({ "oidc.clientSecret": { old: "(secret)", new: "(secret)" } });
    expect(fieldChanges(IdentityProviderSchema, provider("hunter2"), provider("hunter2", "d"))).toEqual({
      "oidc.clientId": { old: "c", new: "d" },
    });
    const invite = create(GroupInviteSchema, { email: "a@example.com", code: "hunter2" });
    expect(JSON.stringify([created, fieldChanges(GroupInviteSchema, undefined, invite)])).not.toContain("hunter");
  });

  it("shows that an e-mail address is set, but not which", () => {
    const invite = (email: string) => create(GroupInviteSchema, { roleUid: "r", email });
    expect(fieldChanges(GroupInviteSchema, undefined, invite("kate@corp.test"))).toEqual({
      roleUid: { new: "r" },
      email: { new: "(personal)" },
    });
    expect(fieldChanges(GroupInviteSchema, invite("kate@corp.test"), invite("joe@corp.test"))).toEqual({
      email: { old: "(personal)", new: "(personal)" },
    });
  });

  it("shows that a message without fields is set", () => {
    const empty = identity({ case: "claimMatch", value: {} });
    expect(fieldChanges(IdentitySchema, undefined, empty)).toEqual({ name: { new: "i" }, claimMatch: { new: {} } });
    const subject = identity({ case: "claimMatch", value: { sub: { case: "subject", value: "s" } } });
    expect(fieldChanges(IdentitySchema, empty, subject)).toEqual({
      claimMatch: { old: {} },
      "claimMatch.subject": { new: "s" },
    });
  });
});
