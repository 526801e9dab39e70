import { describe, expect, it } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";
import { expectSurvived } from "./edited-tree.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { blue, blueIdentity, issuer, red, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
/** A role that the operator's settings permit to be bound, and that exists only where a test makes it. */
const customRole = `${red}/00000000000000d1`;
const grantPolicy = { deletion: "Delete", drift: "Correct" };
/** Capabilities of the role `viewer`, which both Tenants may bind, and one that it lacks. */
const [list, more] = ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST"];
const excess = "CAP_REPO_DELETE";

const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: red, policy } };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer, subject: "ci" }, policy },
};
const lister = (capabilities: readonly string[] = [list], spec: object = {}): Manifest => ({
  kind: "Role",
  name: "lister",
  spec: { groupRef: { name: "shop" }, capabilities: [...capabilities], policy, ...spec },
});
const lists: Manifest = {
  kind: "RoleBinding",
  name: "ci-lists",
  spec: {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { kind: "Role", name: "lister" },
    policy: grantPolicy,
  },
};
const tree = [shop, ci, lister(), lists];

type Role = ExternalResource & { readonly capabilities: readonly string[] };

async function start(...manifests: readonly Manifest[]) {
  const world = new TwoTenants();
  const { platform } = world.scenario;
  platform.setInitial("roles", { uid: "e".repeat(40), name: "deleter", capabilities: [excess] });
  await world.apply(manifests);
  await world.until("Available", manifests);
  const role = () => platform.createdIn("roles").find(({ uid }) => uid === world.statusOf(lister())?.uid) as Role;
  return {
    world,
    platform,
    role,
    /** Somebody else gives the role other capabilities. */
    tamper: (...capabilities: readonly string[]) => platform.set("roles", { ...role(), capabilities }),
  };
}

describe("a Role", () => {
  it.each([
    ["parents first", tree],
    ["children first", tree.toReversed()],
  ])("is made, bound, changed, and deleted after what binds it, with every fault: %s", async (_, manifests) => {
    await expectSurvived(manifests, lister([more, list]));
  });

  it("is deleted after the role bindings that grant it", async () => {
    const { world, platform } = await start(...tree);
    const count = platform.applied.length;
    await world.remove([lister(), lists]);
    expect(world.writesAfter(count)).toEqual(["delete roleBindings", "delete roles"]);
  });

  it("is deleted soon after the last role binding on the platform that nobody declared", async () => {
    const { world, platform, role } = await start(shop, ci, lister());
    const uid = `${world.statusOf(shop)?.uid}/00000000000000d1`;
    const identity = { uid: world.statusOf(ci)?.uid ?? "", name: "ci" };
    const binding: ExternalRoleBinding = { uid, identity, role: { uid: role().uid, name: "lister" } };
    platform.set("roleBindings", binding);
    world.scenario.kube.remove(lister());
    await world.until("ChildrenExist", [lister()]);
    expect(world.messageOf(lister())).toContain("while other resources are in it or refer to it");
    await world.scenario.pass(1_200_000);
    platform.remove("roleBindings", uid);
    await world.scenario.pass(360_000);
    expect(platform.createdIn("roles")).toEqual([]);
  });

  it("is not declared where the Tenant does not list the kind", async () => {
    const { world } = await start(shop);
    world.tenant("red", { kinds: ["Group", "Identity", "RoleBinding"] });
    await world.apply([lister()]);
    await world.until("TenantDenied", [lister()]);
    expect(world.scenario.platform.createdIn("roles")).toEqual([]);
  });

  it("is neither created nor widened beyond the roles that the Tenant may bind", async () => {
    const { world, platform, role } = await start(...tree);
    await world.apply([lister([list, excess])]);
    await world.until("TenantDenied", [lister()]);
    expect(world.messageOf(lister())).toContain(`does not allow ${excess}`);
    expect(role().capabilities).toEqual([list]);
    // What it has is still permitted, and so is the grant.
    expect(world.reasonOf(lists)).toBe("Available");
    await world.apply([{ ...lister(["CAP_UNKNOWN"]), name: "other" }]);
    await world.until("TenantDenied", [{ ...lister(), name: "other" }]);
    expect(platform.createdIn("roles")).toHaveLength(1);
  });

  it("is read before it is bound, and corrected first if others widened it", async () => {
    const { world, platform, role, tamper } = await start(shop, ci, lister());
    await world.scenario.pass(120_000);
    tamper(list, excess);
    const count = platform.applied.length;
    await world.apply([lists]);
    await world.until("Available", [lists]);
    expect(world.writesAfter(count)).toEqual(["update roles", "create roleBindings"]);
    expect(role().capabilities).toEqual([list]);
  });

  it("is corrected if others widen it after it was bound, and the grant stays", async () => {
    const { world, platform, role, tamper } = await start(...tree);
    tamper(list, excess);
    const count = platform.applied.length;
    await world.scenario.resync();
    await world.scenario.pass(10_000);
    expect(role().capabilities).toEqual([list]);
    expect(world.writesAfter(count)).toEqual(["update roles"]);
    expect(world.reasonOf(lists)).toBe("Available");
  });

  it("that others widened, and that is not corrected, is bound to nobody new, and nothing is removed", async () => {
    const { world, platform, tamper } = await start(
      shop,
      ci,
      lister([list], { policy: { ...policy, drift: "Report" } }),
      lists,
    );
    const existing = platform.createdIn("roleBindings");
    tamper(list, excess);
    await world.scenario.resync();
    await world.until("TenantDenied", [lists]);
    expect(world.reasonOf(lister())).toBe("DriftDetected");
    expect(platform.createdIn("roleBindings")).toEqual(existing);
    tamper(list);
    await world.scenario.resync();
    await world.until("Available", [lister(), lists]);
  });

  it("of which only an observation exists is bound while what it has is permitted", async () => {
    const existing = `${red}/00000000000000d1`;
    const observed = lister([], {
      groupRef: undefined,
      groupUid: red,
      uid: existing,
      capabilities: undefined,
      policy: { ...policy, management: "Observe" },
    });
    const world = new TwoTenants();
    const { platform } = world.scenario;
    const set = (...capabilities: readonly string[]) =>
      platform.setInitial("roles", { uid: existing, name: "by hand", description: "", capabilities });
    set(list);
    await world.apply([shop, ci, JSON.parse(JSON.stringify(observed)), lists]);
    await world.until("Available", [observed, lists]);
    set(list, excess);
    await world.scenario.resync();
    await world.until("TenantDenied", [lists]);
    expect(platform.createdIn("roleBindings")).toHaveLength(1);
    set(list);
    await world.scenario.resync();
    await world.until("Available", [lists]);
  });

  it("and its bindings stay as they are when the Tenant is narrowed", async () => {
    const { world, platform } = await start(...tree);
    const existing = platform.created();
    world.tenant("red", { roles: [] });
    await world.until("TenantDenied", [lister(), lists]);
    await world.scenario.resync();
    await world.scenario.pass(60_000);
    expect(platform.created()).toEqual(existing);
    world.tenant("red");
    await world.until("Available", [lister(), lists]);
    expect(platform.created()).toEqual(existing);
  });

  it("permits itself nothing, although the Tenant lists its uid", async () => {
    const existing = `${red}/00000000000000d1`;
    const world = new TwoTenants();
    const { platform } = world.scenario;
    platform.setInitial("roles", { uid: existing, name: "deleter", description: "", capabilities: [excess] });
    world.tenant("red", { roles: ["viewer", existing] });
    const adopted = (capabilities: readonly string[]) =>
      lister(capabilities, { groupRef: undefined, groupUid: red, name: "deleter", uid: existing });
    const manifest = (capabilities: readonly string[]) => JSON.parse(JSON.stringify(adopted(capabilities))) as Manifest;
    await world.apply([manifest([list])]);
    await world.until("Available", [lister()]);
    await world.apply([manifest([list, excess])]);
    await world.until("TenantDenied", [lister()]);
  });

  it.each<[string, { readonly uid?: string; readonly policy?: object }, readonly string[]]>([
    ["by its uid", { uid: customRole }, []],
    ["by its name", { policy: { ...policy, adoption: "IfExists" } }, []],
    ["after it was observed", {}, ["Observe"]],
  ])("is not adopted if nothing but itself permits what it has: %s", async (_, spec, first) => {
    const world = new TwoTenants();
    const { platform } = world.scenario;
    platform.setInitial("roles", { uid: customRole, name: "deleter", description: "", capabilities: [excess] });
    world.tenant("red", { roles: ["viewer", customRole] });
    const relying = lister([list, excess], { name: "relying" });
    const deleter = (management: string): Manifest => ({
      kind: "Role",
      name: "deleter",
      spec: { groupUid: red, capabilities: [excess], ...spec, policy: { ...policy, ...spec.policy, management } },
    });
    await world.apply([shop, relying, ...first.map(deleter)]);
    await world.until("Available", [shop, relying, ...first.map(deleter)]);
    const { writes } = platform;
    await world.apply([deleter("Full")]);
    await world.until("TenantDenied", [deleter("Full")]);
    expect(world.messageOf(deleter("Full"))).toContain(`but the role ${customRole} itself has ${excess}`);
    await world.scenario.resync();
    await world.scenario.pass(600_000);
    expect(world.statusOf(deleter("Full"))?.management).not.toBe("Adopted");
    expect(world.reasonOf(relying)).toBe("Available");
    await world.apply([deleter("Observe")]);
    await world.until("Available", [deleter("Observe")]);
    expect(platform.writes).toBe(writes);
  });

  it("is bound by its uid as by its name, only while the Tenant permits what it has, and is deleted after the binding", async () => {
    const { world, platform, role } = await start(shop, ci, lister());
    const { uid, ...rest } = role();
    const { roleRef: _, ...spec } = lists.spec as { roleRef: object };
    const byUid: Manifest = { ...lists, spec: { ...spec, roleUid: uid } };
    await world.apply([byUid]);
    await world.until("Available", [byUid]);
    world.tenant("red", { roles: [] });
    await world.until("TenantDenied", [byUid]);
    world.tenant("red");
    await world.until("Available", [byUid]);
    world.scenario.kube.remove(lister());
    await world.until("ChildrenExist", [lister()]);
    await world.remove([byUid, lister()]);
    // Without an object, nothing says that the role may be bound.
    platform.setInitial("roles", { ...rest, uid });
    await world.apply([byUid]);
    await world.until("TenantDenied", [byUid]);
    expect(platform.createdIn("roleBindings")).toEqual([]);
  });

  it("is never what a built-in name means, whatever it is called on the platform", async () => {
    const viewer = lister([list], { name: "viewer" });
    const byName: Manifest = { ...lists, name: "ci-views", spec: { ...lists.spec, roleRef: { name: "viewer" } } };
    const { world, platform, role } = await start(shop, ci, viewer, lists, byName);
    const bound = (platform.createdIn("roleBindings") as readonly ExternalRoleBinding[]).map((one) => one.role.uid);
    expect(bound).toHaveLength(2);
    expect(bound.filter((uid) => uid === role().uid)).toHaveLength(1);
    expect(world.violations()).toEqual([]);
  });

  it("with a copied marker is corrected before it is bound", async () => {
    const { world, platform, role } = await start(shop, ci, lister());
    const { description = "" } = role();
    await world.remove([lister()]);
    const parent = world.statusOf(shop)?.uid ?? "";
    platform.set("roles", { uid: `${parent}/00000000000000d1`, name: "x", description, capabilities: [excess] });
    await world.scenario.resync();
    const count = platform.applied.length;
    await world.apply([lister(), lists]);
    await world.until("Available", [lister(), lists]);
    expect(platform.applied.slice(count).map((write) => `${write.do} ${write.collection}`)).toEqual([
      "update roles",
      "create roleBindings",
    ]);
    expect(role().capabilities).toEqual([list]);
  });

  it("that nobody declared is reported, and never removed", async () => {
    const { world, platform } = await start({ ...shop, spec: { ...shop.spec, undeclared: "Remove" } });
    const uid = `${world.statusOf(shop)?.uid}/00000000000000d1`;
    platform.set("roles", { uid, name: "strange", description: "", capabilities: [list] });
    for (let count = 0; count < 4; count += 1) {
      await world.scenario.resync();
      await world.scenario.pass(60_000);
    }
    expect(platform.has(uid)).toBe(true);
    expect(world.statusOf(shop)?.undeclared).toEqual([expect.objectContaining({ kind: "Role", uid, name: "strange" })]);
    expect(world.statusOf(shop)?.conditions?.find(({ type }) => type === "AccessDeclared")?.message).toContain(
      "1 role;",
    );
  });
});

describe("a Role of another Tenant", () => {
  const shared = (allowedNamespaces: readonly string[]) =>
    lister([list], { groupRef: undefined, groupUid: root, allowedNamespaces: [...allowedNamespaces] });
  const there: Manifest = {
    ...lists,
    namespace: "other",
    spec: {
      groupUid: blue,
      identityUid: `${blue}/00000000000000f1`,
      roleRef: { kind: "Role", name: "lister", namespace: "team" },
      policy: grantPolicy,
    },
  };

  async function worldWith(allowedNamespaces: readonly string[], roles: readonly string[]): Promise<TwoTenants> {
    const world = new TwoTenants();
    world.scenario.platform.setInitial("identities", {
      uid: `${blue}/00000000000000f1`,
      name: "reader",
      description: "",
    });
    world.tenant("red", { groups: [root] });
    world.tenant("blue", { groups: [blue], identityUid: "", roles });
    await world.apply([JSON.parse(JSON.stringify(shared(allowedNamespaces))) as Manifest, there]);
    await world.until("Available", [shared([])]);
    return world;
  }

  it("is bound if it is granted, within what the own Tenant permits", async () => {
    const world = await worldWith(["other"], ["viewer"]);
    await world.until("Available", [there]);
    world.tenant("blue", { groups: [blue], identityUid: "", roles: [] });
    await world.until("TenantDenied", [there]);
    expect(world.scenario.platform.createdIn("roleBindings")).toHaveLength(1);
  });

  it("is not bound if it is not granted, or beyond what the own Tenant permits", async () => {
    const notGranted = await worldWith([], ["viewer"]);
    await notGranted.until("ReferenceNotGranted", [there]);
    const beyond = await worldWith(["other"], []);
    await beyond.until("TenantDenied", [there]);
    for (const { scenario } of [notGranted, beyond]) expect(scenario.platform.createdIn("roleBindings")).toEqual([]);
  });
});

it("does not take over a role that grants a credential what it may do", async () => {
  const world = new TwoTenants();
  const { platform } = world.scenario;
  const [uid, binding] = [`${red}/00000000000000d1`, `${blue}/00000000000000d2`];
  const role = { uid, name: "lister", description: "", capabilities: [list, more] };
  platform.setInitial("roles", role);
  platform.setInitial("roleBindings", { uid: binding, identity: { uid: blueIdentity, name: "" }, role: { uid } });
  // The credential of the blue Tenant is in use before somebody in a namespace of the red one wants its role.
  const blueGroup: Manifest = { kind: "Group", name: "shop", namespace: "other", spec: { parentUid: blue, policy } };
  await world.apply([blueGroup]);
  await world.until("Available", [blueGroup]);
  const taken = lister([list], { groupRef: undefined, groupUid: red, policy: { ...policy, adoption: "IfExists" } });
  await world.apply([taken]);
  await world.scenario.pass(60_000);
  expect(platform.createdIn("roles")).toEqual([]);
  expect(platform.applied.filter(({ collection }) => collection === "roles")).toEqual([]);
  expect(world.reasonOf(taken)).toBe("Conflict");
});

describe("a role of an identity that is not the Tenant's is not taken over", () => {
  const role = `${red}/00000000000000d1`;
  const theirs = withMarker("", "99999999-0123456789abcdef");
  it.each<[string, { uid: string; description?: string }, object]>([
    ["an identity for emergencies", { uid: `${red}/00000000000000d3` }, { breakGlass: [`${red}/00000000000000d3`] }],
    ["an identity outside of the Tenant's groups", { uid: `${root}/00000000000000d3` }, {}],
    [
      "the credential of another operator",
      { uid: `${red}/00000000000000d3`, description: withRecordedOwner("", "x") },
      {},
    ],
    ["an identity that another cluster manages", { uid: `${red}/00000000000000d3`, description: theirs }, {}],
  ])("%s", async (_, { uid, description = "" }, tenant) => {
    const world = new TwoTenants();
    const { platform } = world.scenario;
    world.tenant("red", tenant);
    platform.setInitial("roles", { uid: role, name: "lister", description: "", capabilities: [list, more] });
    platform.setInitial("identities", { uid, name: "who", description });
    platform.setInitial("roleBindings", {
      uid: `${red}/00000000000000d2`,
      identity: { uid, name: "" },
      role: { uid: role },
    });
    const { groupRef: _none, ...spec } = lister([list]).spec as { groupRef: object };
    const taken = { ...lister(), spec: { ...spec, groupUid: red, policy: { ...policy, adoption: "IfExists" } } };
    await world.apply([taken]);
    await world.until("TenantDenied", [taken]);
    const message = world.statusOf(taken)?.conditions?.find(({ type }) => type === "Ready")?.message;
    expect(message).toContain(`role binding ${red}/00000000000000d2`);
    expect(platform.applied).toEqual([]);
    platform.remove("roleBindings", `${red}/00000000000000d2`);
    await world.scenario.pass(3_700_000);
    await world.until("Available", [taken]);
  });
});
