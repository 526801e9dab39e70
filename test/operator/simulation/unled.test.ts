import { expect, it } from "vitest";
import { kinds } from "#src/kinds/kinds.ts";
import type { Manifest } from "./memory-kube.ts";
import { grantOf, viewer } from "./memory-platform.ts";
import { settleMs } from "./operator-process.ts";
import { blue, issuer, red, TwoTenants } from "./two-tenants.ts";

// Objects that an admission policy gave our finalizer, and that were applied, and perhaps deleted, before any operator led.

const policy = { management: "Full", adoption: "Never", deletion: "Delete", drift: "Correct" };
const grantPolicy = { management: "Full", drift: "Correct" };
const reader = `${red}/00000000000000f1`;
const roleRef = { name: "viewer" };

/** One object of each kind, in a group. */
function objectsIn(
  group: { readonly groupUid: string } | { readonly groupRef: { readonly name: string } },
): readonly Manifest[] {
  const parent = "groupUid" in group ? { parentUid: group.groupUid } : { parentRef: group.groupRef };
  return [
    { kind: "Group", name: "shop", spec: { ...parent, policy } },
    { kind: "Identity", name: "ci", spec: { ...group, claimMatch: { issuer, subject: "ci" }, policy } },
    { kind: "Role", name: "scanner", spec: { ...group, capabilities: ["CAP_IAM_GROUPS_LIST"], policy } },
    { kind: "RoleBinding", name: "reads", spec: { ...group, identityUid: reader, roleRef, policy: grantPolicy } },
    {
      kind: "IdentityProvider",
      name: "people",
      spec: { ...group, issuer, clientId: "muster", defaultRoleRef: roleRef, policy },
    },
    { kind: "AccountAssociation", name: "cloud", spec: { ...group, amazon: { account: "123456789012" }, policy } },
    {
      kind: "GroupInvite",
      name: "ada",
      spec: {
        ...group,
        roleRef,
        email: "ada@example.com",
        singleUse: true,
        expiresAt: "2026-01-02T00:00:00Z",
        secretRef: { name: "invite" },
        policy: { management: "Full", drift: "Report" },
      },
    },
  ];
}

const nothing = () => undefined;
const worlds: readonly {
  readonly what: string;
  readonly objects: readonly Manifest[];
  readonly make: (world: TwoTenants) => void;
}[] = [
  { what: "are permitted", objects: objectsIn({ groupUid: red }), make: nothing },
  { what: "are denied", objects: objectsIn({ groupUid: blue }), make: nothing },
  { what: "name a group outside of everything", objects: objectsIn({ groupUid: "e".repeat(40) }), make: nothing },
  { what: "refer to what does not exist", objects: objectsIn({ groupRef: { name: "nowhere" } }), make: nothing },
  { what: "are invalid", objects: objectsIn({ groupUid: "not a uid" }), make: nothing },
  { what: "have no Tenant", objects: objectsIn({ groupUid: red }), make: (world) => world.assign("team", "nobody") },
  {
    what: "have two Tenants",
    objects: objectsIn({ groupUid: red }),
    make: (world) => world.tenant("third", { namespaces: ["team"], groups: [red] }),
  },
];

it.each(worlds.flatMap((one) => [0, 5_000, 60_000].map((afterMs) => ({ ...one, afterMs }))))(
  "objects that $what go soon if they are deleted $afterMs ms after the first operator starts",
  async ({ objects, make, afterMs }) => {
    const world = new TwoTenants({ admission: true });
    const { kube, platform } = world.scenario;
    expect(objects.map(({ kind }) => kind).toSorted()).toEqual(kinds.map(({ name }) => name).toSorted());
    platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
    kube.setSecret("invite", {});
    make(world);
    await world.apply(objects);
    if (afterMs > 0) await world.scenario.pass(afterMs);
    for (const one of objects) kube.remove(one);
    await world.scenario.pass(2 * settleMs);
    expect(kube.objects()).toEqual([]);
    expect(platform.created()).toEqual([]);
    expect(world.scenario.process.failures).toEqual([]);
  },
);

it("an object that only observes, and is edited before what it refers to exists, becomes Ready", async () => {
  const world = new TwoTenants({ admission: true });
  const { platform } = world.scenario;
  world.tenant("red", { allowOrphan: false });
  platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  const binding: Manifest = {
    kind: "RoleBinding",
    name: "reads",
    spec: { groupRef: { name: "shop" }, identityUid: reader, roleRef, policy: { management: "Observe" } },
  };
  const group: Manifest = {
    kind: "Group",
    name: "shop",
    spec: { parentUid: red, policy: { management: "Observe" } },
  };
  await world.apply([binding]);
  await world.until("ReferenceNotFound", [binding]);
  // Another leader knows only what the object says.
  world.scenario.process.kill();
  const shop = `${red}/00000000000000d1`;
  platform.setInitial("groups", { uid: shop, name: "shop", description: "" });
  platform.setInitial("roleBindings", grantOf(`${shop}/00000000000000d2`, reader, viewer));
  await world.apply([{ ...binding, spec: { ...binding.spec, expiresAt: "2027-01-01T00:00:00Z" } }, group]);
  await world.until("Available", [binding, group]);
});
