import { describe, expect, it } from "vitest";
import { type RoleBinding, roleBindingSpecSchema } from "#src/api/role-binding.ts";
import { roleBindingKind } from "./role-binding.ts";

const groupUid = "a".repeat(40);
const identityUid = `${groupUid}/1111111111111111`;
const roleUid = "c".repeat(40);
const binding = (spec: object): RoleBinding => ({
  apiVersion: "iam.muster.dev/v1beta1",
  kind: "RoleBinding",
  metadata: { name: "ci-views", namespace: "team" },
  spec: roleBindingSpecSchema.parse(spec),
});

describe("roleBindingKind", () => {
  it("refers to group, identity and role, each by name or by uid", () => {
    expect(roleBindingKind.references(binding({ groupUid, identityUid, roleUid }))).toEqual([
      { purpose: "parent", path: "spec.groupUid", target: { by: "uid", uid: groupUid } },
      { purpose: "identity", path: "spec.identityUid", target: { by: "uid", uid: identityUid } },
      { purpose: "role", path: "spec.roleUid", target: { by: "uid", uid: roleUid } },
    ]);
    const references = binding({ groupRef: { name: "g" }, identityRef: { name: "i" }, roleRef: { name: "viewer" } });
    expect(roleBindingKind.references(references)).toEqual([
      { purpose: "parent", path: "spec.groupRef", target: { by: "resource", kind: "Group", reference: { name: "g" } } },
      {
        purpose: "identity",
        path: "spec.identityRef",
        target: { by: "resource", kind: "Identity", reference: { name: "i" } },
      },
      { purpose: "role", path: "spec.roleRef", target: { by: "roleName", name: "viewer" } },
    ]);
  });

  it("is identified by its fields and has neither name nor marker", () => {
    const desired = roleBindingKind.desired(
      binding({ groupUid, identityUid, roleUid }),
      { parent: groupUid, identity: identityUid, role: roleUid },
      { serviceAccounts: { issuer: "", audience: "" } },
    );
    const external = {
      uid: `${groupUid}/2222222222222222`,
      identity: { uid: identityUid, name: "" },
      role: { uid: roleUid, name: "" },
    };
    expect(desired).toEqual({ identityUid, roleUid });
    expect(roleBindingKind.actual(external, desired)).toEqual(desired);
    expect(roleBindingKind.collection.nameOf(external)).toBeUndefined();
    expect(roleBindingKind.identification.by).toBe("fields");
    const uids = { parent: groupUid, identity: identityUid, role: roleUid };
    expect(roleBindingKind.identification.naturalKey(uids, "marker")).toBe(
      roleBindingKind.collection.naturalKeyOf(external),
    );
  });
});
