import { expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { grantOf } from "./memory-platform.ts";
import { blue, blueIdentity, red, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const groupRef = { name: "shop" };
const roleRef = { kind: "Role", name: "lister" };
/** An identity that no object declares: to delete objects does not delete it, and so none of its role bindings. */
const reader = `${red}/00000000000000f1`;

const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: red, policy } };
const lister: Manifest = {
  kind: "Role",
  name: "lister",
  spec: { groupRef, capabilities: ["CAP_IAM_GROUPS_LIST"], policy },
};
const reads: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  spec: { groupRef, identityUid: reader, roleRef, policy: { deletion: "Delete", drift: "Correct" } },
};
const ada: Manifest = {
  kind: "GroupInvite",
  name: "ada",
  spec: { groupRef, roleRef, expiresAt: "2099-01-01T00:00:00Z", secretRef: { name: "ada" } },
};
const all = [shop, lister, reads, ada];

/** What is deleted, and the collections of the resources that go with it. */
const deletions: readonly [string, readonly Manifest[], readonly string[]][] = [
  ["a role binding", [reads], ["roleBindings"]],
  ["a role binding and its role", [reads, lister], ["roleBindings"]],
  ["a role binding and its group", [reads, shop], ["roleBindings"]],
  ["an invite and its role", [ada, lister], ["groupInvites"]],
  ["an invite and its group", [ada, shop], ["groupInvites"]],
  ["everything", all, ["groups", "roles", "roleBindings", "groupInvites"]],
];

it.each(deletions.flatMap((one) => ["at once", "while no operator runs"].map((when) => [when, ...one] as const)))(
  "what is deleted after a restore without statuses is deleted on the platform: %s, %s",
  async (when, _, deleted, collections) => {
    const world = new TwoTenants();
    const { platform, kube } = world.scenario;
    platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
    kube.setSecret("ada", {});
    await world.apply(all);
    await world.until("Available", all);
    for (const { kind, name } of all) kube.setStatus(kind, name, undefined);
    for (const one of deleted) kube.remove(one);
    if (when === "while no operator runs") await world.scenario.restart();
    await world.scenario.pass(120_000);
    for (const collection of collections) expect(platform.createdIn(collection)).toEqual([]);
    const [{ kind, name }] = deleted as [Manifest];
    if (deleted !== all) expect(kube.find(kind, name)).toBeUndefined();
    else expect(kube.objects()).toEqual([]);
  },
);

it("a role binding in a group of another Tenant is deleted with it, after a restore without statuses", async () => {
  const world = new TwoTenants();
  const { platform, kube } = world.scenario;
  const ownReader = `${blue}/00000000000000f2`;
  platform.setInitial("identities", { uid: ownReader, name: "reader", description: "" });
  platform.setInitial("roleBindings", grantOf(`${red}/00000000000000cf`, blueIdentity));
  const granted: Manifest = { ...shop, spec: { ...shop.spec, allowedNamespaces: ["other"] } };
  const elsewhere: Manifest = {
    ...reads,
    namespace: "other",
    spec: {
      ...reads.spec,
      groupRef: { name: "shop", namespace: "team" },
      identityUid: ownReader,
      roleRef: { name: "viewer" },
    },
  };
  const both = [granted, elsewhere];
  await world.apply(both);
  await world.until("Available", both);
  for (const { kind, name, namespace } of both) kube.setStatus(kind, name, undefined, namespace);
  for (const one of both) kube.remove(one);
  await world.scenario.restart();
  await world.scenario.pass(120_000);
  expect(kube.objects()).toEqual([]);
  expect(platform.created()).toEqual([]);
});
