import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import { bindingResource, identityResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type BuiltInRoles, findBuiltInRole } from "./built-in-role-reference.ts";

const viewer = { uid: "c".repeat(40), name: "viewer", capabilities: [] };
const context: BuiltInRoles = {
  roles: { byName: new Map([["viewer", viewer]]), byUid: new Map([[viewer.uid, viewer]]) },
  boundary: { roles: ["viewer", "unknown"] },
  find: (kind, key) => (kind === "Role" && key === "team/scanner" ? identityResource() : undefined),
};

function findAs(kindName: string, name: string, isMutable = false) {
  const kind = kinds.find((one) => one.name === kindName);
  if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
  const field = {
    purpose: "role",
    path: "spec.roleRef",
    target: { by: "roleName", name },
    ...(isMutable ? { isMutable } : {}),
  } as const;
  return findBuiltInRole(kind, field, name, bindingResource(), context);
}

it("finds a built-in role by its name", () => {
  expect(findAs("RoleBinding", "viewer")).toEqual({ uid: viewer.uid, through: "limits" });
});

it.each([
  [
    "delete the object where the field is immutable",
    findAs("RoleBinding", "veiwer"),
    'spec.roleRef: the platform has no built-in role named "veiwer". The field is immutable: delete this object and create it with one of viewer.',
  ],
  [
    "change the field where that is possible",
    findAs("IdentityProvider", "veiwer", true),
    'spec.roleRef: the platform has no built-in role named "veiwer". Set it to one of viewer.',
  ],
  [
    "name the kind of a Role object that has the name",
    findAs("RoleBinding", "scanner"),
    'spec.roleRef: the platform has no built-in role named "scanner". The field is immutable: delete this object and create it with spec.roleRef.kind: Role, which names the Role object scanner, or with one of viewer.',
  ],
  [
    "name no Role object where none may be named",
    findAs("IdentityProvider", "scanner", true),
    'spec.roleRef: the platform has no built-in role named "scanner". Set it to one of viewer.',
  ],
])("of an unknown name, says to %s", (_, found, message) => {
  expect(found).toMatchObject({ are: "waiting", reason: "ReferenceNotFound", message });
});
