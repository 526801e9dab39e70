import { expect, it } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import {
  binding,
  ci,
  exceptionsOf,
  identity,
  imported,
  objectsOf,
  own,
  root,
  shop,
  specOf,
} from "./imported.testing.ts";

const lister = { uid: `${shop}/00000000000000d1`, name: "lister", description: "", capabilities: ["CAP_REPO_LIST"] };
const deleter = { ...lister, capabilities: ["CAP_REPO_DELETE"] };
const grant = { ...binding, uid: `${shop}/00000000000000e2`, role: { uid: lister.uid, name: "lister" } };

function withRoles(tree: Partial<ExistingTree>, options: Partial<ImportOptions> = {}) {
  return imported({ roles: [lister], roleBindings: [binding, grant], ...tree }, options);
}

it("declares a role, and refers to it by its name", () => {
  const tree = withRoles({});
  const role = objectsOf(tree).find(({ kind }) => kind === "Role");
  expect(role?.spec).toEqual({
    groupRef: { name: objectsOf(tree)[1]?.metadata.name },
    uid: lister.uid,
    name: "lister",
    capabilities: ["CAP_REPO_LIST"],
  });
  const bound = objectsOf(tree).filter(({ kind }) => kind === "RoleBinding");
  expect(bound.map(({ spec }) => spec["roleRef"])).toEqual([
    { name: "viewer" },
    { kind: "Role", name: role?.metadata.name },
  ]);
  expect(tree.exceptions).toEqual([]);
  expect(tree.tenant.spec).toMatchObject({
    roles: ["viewer"],
    kinds: ["Group", "Identity", "Role", "RoleBinding"],
    adopt: ["Group", "Identity", "Role"],
  });
});

it("lets the Tenant list a role that is bound, but not managed", () => {
  const tree = withRoles({ roles: [{ ...lister, description: "x".repeat(500) }] });
  expect(tree.tenant.spec["roles"]).toEqual(["viewer", lister.uid]);
  expect(withRoles({ roles: [deleter] }).tenant.spec["roles"]).toEqual(["viewer", lister.uid]);
});

it("lists the capabilities in one order, each once", () => {
  const capabilities = ["CAP_TAG_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"];
  const tree = withRoles({ roles: [{ ...lister, capabilities }] });
  expect(specOf(tree, "Role")).toMatchObject({ capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] });
});

it("observes a role with more than the built-in roles of the Tenant, as a whole only if the Tenant lists it", () => {
  const tree = withRoles({ roles: [deleter] });
  expect(specOf(tree, "Role")).toMatchObject({
    capabilities: ["CAP_REPO_DELETE"],
    policy: { management: "Observe" },
  });
  expect(exceptionsOf(tree)).toEqual(["role observed: no built-in role that the Tenant lists has CAP_REPO_DELETE"]);
  expect(withRoles({ roles: [deleter] }, { adopt: false }).exceptions).toEqual([]);

  const unbound = withRoles({ roles: [deleter], roleBindings: [binding] }, { adopt: false });
  expect(specOf(unbound, "Role")).not.toHaveProperty("capabilities");
  expect(unbound.tenant.spec["roles"]).toEqual(["viewer"]);
  expect(exceptionsOf(unbound)).toEqual([
    "role in part: spec.capabilities: no built-in role that the Tenant lists has CAP_REPO_DELETE",
  ]);
});

it.each<[string, Partial<ExistingTree>, Partial<ImportOptions>]>([
  [
    `identity ${ci}, the credential of an operator, has it`,
    { identities: [{ ...identity, description: withRecordedOwner("", "prod") }] },
    {},
  ],
  [`identity ${ci}, which is for emergencies, has it`, {}, { breakGlass: [ci] }],
  [
    `identity ${root}/0000000000000001, the credential of an operator, has it`,
    {
      roleBindings: [
        binding,
        grant,
        {
          ...grant,
          uid: `${shop}/00000000000000e3`,
          identity: { uid: `${root}/0000000000000001`, name: "muster" },
        },
      ],
      identitiesElsewhere: [
        { ...identity, uid: `${root}/0000000000000001`, description: withRecordedOwner("", "prod") },
      ],
    },
    {},
  ],
])("leaves out a protected role: %s", (reason, tree, options) => {
  const result = withRoles(tree, options);
  expect(specOf(result, "Role")).toBeUndefined();
  expect(exceptionsOf(result)).toContain(`role left out: ${reason}`);
  expect(objectsOf(result).flatMap(({ spec }) => spec["roleRef"] ?? [])).not.toContainEqual(
    expect.objectContaining({ kind: "Role" }),
  );
});

it("only observes the role of an identity outside of the group", () => {
  const hidden = { ...grant, identity: { uid: `${root}/0000000000000001`, name: "" } };
  const result = withRoles({ roleBindings: [binding, hidden] });
  expect(exceptionsOf(result)).toContain(
    `role observed: identity ${root}/0000000000000001 has it, which is outside of the group, of another owner, or hidden from you`,
  );
});

it("only observes a role that an identity of another owner has outside of the group", () => {
  const theirs = {
    ...identity,
    uid: `${shop}/00000000000000c2`,
    description: withMarker("", markerOf(ownerHash("elsewhere"), objectHash("a", "b", "c"))),
  };
  const elsewhere = { ...grant, uid: `${root}/00000000000000e9`, identity: theirs };
  const result = withRoles({ identities: [identity, theirs], roleBindingsElsewhere: [elsewhere] });

  expect(exceptionsOf(result)).toContain(
    `role observed: identity ${theirs.uid} has it, which is outside of the group, of another owner, or hidden from you`,
  );
});

it("names the role that another object declares by its uid", () => {
  const marker = markerOf(own, objectHash("Role", "team", "by-hand"));
  const tree = withRoles({ roles: [{ ...lister, description: withMarker("", marker) }] });
  expect(objectsOf(tree).flatMap(({ spec }) => spec["roleUid"] ?? [])).toEqual([lister.uid]);
  expect(tree.tenant.spec["kinds"]).toEqual(["Group", "Identity", "RoleBinding"]);
});
