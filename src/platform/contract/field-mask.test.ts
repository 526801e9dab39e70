import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";
import { GroupSchema } from "../gen/muster/platform/iam/v2beta1/group_pb.ts";
import { IdentitySchema } from "../gen/muster/platform/iam/v2beta1/identity_pb.ts";
import { applyMask, readMask } from "./field-mask.ts";

type IdentityInit = MessageInitShape<typeof IdentitySchema>;

const byIssuer = {
  case: "claimMatch",
  value: {
    iss: { case: "issuer", value: "https://i" },
    sub: { case: "subject", value: "s" },
    claims: { team: "a" },
  },
} as const;

function update(current: IdentityInit, patch: IdentityInit, paths: string[]) {
  const message = create(IdentitySchema, patch);
  return applyMask(IdentitySchema, create(IdentitySchema, current), message, readMask(IdentitySchema, paths, message));
}

describe("an update by mask", () => {
  it("changes only the fields in the mask, in either spelling", () => {
    const updated = update(
      { name: "a", relationship: byIssuer },
      { name: "b", relationship: { case: "claimMatch", value: { sub: { case: "subject", value: "t" } } } },
      ["claimMatch.subject"],
    );
    expect(updated).toEqual(
      create(IdentitySchema, {
        name: "a",
        relationship: { case: "claimMatch", value: { ...byIssuer.value, sub: { case: "subject", value: "t" } } },
      }),
    );
    expect(update({ name: "a", description: "d" }, { description: "e" }, ["description"]).description).toBe("e");
  });

  it("resets a field in the mask that the body does not set", () => {
    expect(update({ name: "a", description: "d" }, {}, ["description"]).description).toBe("");
    expect(update({ name: "a", relationship: byIssuer }, {}, ["claim_match"]).relationship.case).toBeUndefined();
  });

  it("clears the siblings of a oneof member, in any order of paths", () => {
    const patch = {
      relationship: { case: "claimMatch", value: { iss: { case: "issuerPattern", value: "x" } } },
    } as const;
    for (const paths of [["claim_match.issuer_pattern", "claim_match.issuer"], ["claim_match.issuer_pattern"]]) {
      const { relationship } = update({ relationship: byIssuer }, patch, paths);
      expect(relationship.case === "claimMatch" && relationship.value.iss).toEqual({
        case: "issuerPattern",
        value: "x",
      });
    }
  });

  it("replaces a map as a whole", () => {
    const { relationship } = update(
      { relationship: byIssuer },
      { relationship: { case: "claimMatch", value: { claims: { tier: "b" } } } },
      ["claim_match.claims"],
    );
    expect(relationship.case === "claimMatch" && relationship.value.claims).toEqual({ tier: "b" });
  });

  it("uses the fields without the default value if there is no mask, including nested ones", () => {
    const { name, description, relationship } = update(
      { name: "a", description: "d", relationship: byIssuer },
      { name: "b", relationship: { case: "claimMatch", value: { sub: { case: "subject", value: "t" } } } },
      [],
    );
    expect({ name, description }).toEqual({ name: "b", description: "d" });
    expect(relationship.case === "claimMatch" && relationship.value.iss.value).toBe("https://i");
  });

  it("replaces everything for * except read-only and kept fields", () => {
    const current = create(GroupSchema, {
      uid: "u",
      name: "a",
      description: "d",
      verified: true,
      resourceLimits: { repositories: 3 },
    });
    const patch = create(GroupSchema, { name: "b" });
    const updated = applyMask(GroupSchema, current, patch, readMask(GroupSchema, ["*"], patch), ["verified"]);
    expect(updated).toEqual(create(GroupSchema, { uid: "u", name: "b", verified: true }));
  });

  it.each([
    ["uid", "cannot be changed"],
    ["createTime", "cannot be changed"],
    ["nope", "unknown path"],
    ["name.length", "unknown path"],
    ["claim_match.claims.team", "unknown path"],
    ["", "unknown path"],
  ])("rejects the path %j", (path, message) => {
    expect(() => update({}, {}, [path])).toThrowError(message);
  });

  it("rejects an immutable field and ignores a read-only one if there is no mask", () => {
    const patch = create(GroupInviteSchema, { roleUid: "r", keyId: "k", email: "a@example.com" });
    expect(() => readMask(GroupInviteSchema, [], patch)).toThrowError("roleUid: cannot be changed");
    const invite = create(GroupInviteSchema, { roleUid: "r", keyId: "k" });
    const allowed = create(GroupInviteSchema, { keyId: "l", email: "a@example.com" });
    expect(applyMask(GroupInviteSchema, invite, allowed, readMask(GroupInviteSchema, [], allowed))).toEqual(
      create(GroupInviteSchema, { roleUid: "r", keyId: "k", email: "a@example.com" }),
    );
  });

  it("rejects * together with other paths", () => {
    expect(() => update({}, {}, ["*", "name"])).toThrowError("* must be the only path");
  });

  it("does not modify its arguments", () => {
    const current = create(IdentitySchema, { name: "a" });
    const patch = create(IdentitySchema, { name: "b" });
    applyMask(IdentitySchema, current, patch, readMask(IdentitySchema, ["name"], patch));
    expect(current.name).toBe("a");
  });
});
