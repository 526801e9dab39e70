import { describe, expect, it } from "vitest";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { grantOf, owner, root, viewer } from "./memory-platform.ts";
import type { Fault } from "./scenario.ts";
import { blue, issuer, red, TwoTenants } from "./two-tenants.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };

/** The identity of the red Tenant, which `subject` may assume. */
function ci(subject: string, more: Readonly<Record<string, unknown>> = {}): Manifest {
  return {
    kind: "Identity",
    name: "ci",
    namespace: "team",
    spec: { groupUid: red, claimMatch: { issuer, subject }, policy, ...more },
  };
}

/** A role binding of the identity `ci`, in the group. */
function bindingIn(group: string, namespace = "team"): Manifest {
  return {
    kind: "RoleBinding",
    name: "ci-views",
    namespace,
    spec: {
      groupUid: group,
      identityRef: { name: "ci", namespace: "team" },
      roleRef: { name: "viewer" },
      policy: { drift: "Correct", deletion: "Delete" },
    },
  };
}

/** What an administrator gives the identity by hand. */
const byHand = `${root}/00000000000000e1`;

const uidOf = (world: TwoTenants) => world.statusOf(ci(""))?.uid ?? "";

function subjectOf(world: TwoTenants): string | undefined {
  const [identity] = world.scenario.platform.createdIn("identities") as (ExternalResource & {
    claimMatch?: { subject?: string };
  })[];
  return identity?.claimMatch?.subject;
}

/** A world with the identity of the first editor. */
async function declared(fault: Fault = {}, ...others: readonly Manifest[]): Promise<TwoTenants> {
  const world = new TwoTenants(fault);
  await world.apply([ci("editor"), ...others]);
  await world.until("Available", [ci(""), ...others]);
  return world;
}

/** Waits until the object is Ready as it is now. */
async function readyNow(world: TwoTenants, ...manifests: readonly Manifest[]): Promise<void> {
  await world.scenario.pass(5_000);
  expect(manifests.map((one) => world.messageOf(one))).toEqual(
    manifests.map(() => expect.stringContaining("exists on the platform")),
  );
}

function giveByHand(world: TwoTenants, role = owner, uid = byHand): void {
  world.scenario.platform.set("roleBindings", grantOf(uid, uidOf(world), role));
}

describe("an identity to which somebody bound a role by hand", () => {
  it("is not given to others by an edit, until the role binding is gone, with every fault", async () => {
    const { crashes } = await withEveryFault(async (fault) => {
      const world = await declared(fault);
      giveByHand(world);
      await world.apply([ci("attacker")]);
      await world.until("TenantDenied", [ci("")]);
      expect(subjectOf(world)).toBe("editor");
      expect(world.messageOf(ci(""))).toMatch(/^spec\.claimMatch: /);
      // The administrator's role binding is not in the groups of the Tenant.
      expect(world.messageOf(ci(""))).not.toContain(byHand);
      await world.scenario.pass(3_700_000);
      await world.scenario.resync();
      expect(subjectOf(world)).toBe("editor");
      world.scenario.platform.remove("roleBindings", byHand);
      await world.scenario.resync();
      await world.until("Available", [ci("")]);
      expect(subjectOf(world)).toBe("attacker");
      await world.rest();
      return world.run;
    });
    expect(crashes).toBeGreaterThan(0);
  });

  it("is Ready again once the edit is undone", async () => {
    const world = await declared();
    giveByHand(world);
    await world.apply([ci("attacker")]);
    await world.until("TenantDenied", [ci("")]);
    await world.apply([ci("editor")]);
    await world.until("Available", [ci("")]);
    await world.rest([byHand]);
  });

  it("is Ready once the administrator has made the change by hand", async () => {
    const world = await declared();
    giveByHand(world);
    await world.apply([ci("another")]);
    await world.until("TenantDenied", [ci("")]);
    const { platform } = world.scenario;
    const [identity] = platform.createdIn("identities");
    platform.set("identities", { ...identity, uid: uidOf(world), claimMatch: { issuer, subject: "another" } });
    await world.scenario.resync();
    await world.until("Available", [ci("")]);
    await world.rest([byHand]);
  });

  it("is given to others once the Tenant permits the role", async () => {
    const world = await declared();
    const uid = `${red}/00000000000000e2`;
    giveByHand(world, viewer, uid);
    world.tenant("red", { roles: [] });
    await world.apply([ci("another")]);
    await world.until("TenantDenied", [ci("")]);
    expect(world.messageOf(ci(""))).toContain(uid);
    world.tenant("red");
    await readyNow(world, ci(""));
    expect(subjectOf(world)).toBe("another");
  });

  it("is still described, and its other fields are still corrected, by an edit", async () => {
    const world = await declared();
    giveByHand(world);
    await world.apply([ci("editor", { description: "builds" })]);
    await readyNow(world, ci(""));
    expect(world.scenario.platform.createdIn("identities")[0]?.description).toContain("builds");
  });

  it("is not given back to whom the spec names after a change by hand", async () => {
    const world = await declared();
    const { platform } = world.scenario;
    const [identity] = platform.createdIn("identities");
    platform.set("identities", { ...identity, uid: uidOf(world), claimMatch: { issuer, subject: "administrator" } });
    giveByHand(world);
    await world.scenario.resync();
    await world.until("TenantDenied", [ci("")]);
    expect(subjectOf(world)).toBe("administrator");
    platform.remove("roleBindings", byHand);
    await world.scenario.resync();
    await world.until("Available", [ci("")]);
    expect(subjectOf(world)).toBe("editor");
  });

  it("is not given to others by an object that finds it by its marker", async () => {
    const world = await declared();
    giveByHand(world);
    const rebuilt = new TwoTenants();
    for (const collection of ["identities", "roleBindings"] as const)
      for (const one of world.scenario.platform.createdIn(collection)) rebuilt.scenario.platform.set(collection, one);
    await rebuilt.apply([ci("attacker")]);
    await rebuilt.until("TenantDenied", [ci("")]);
    expect(subjectOf(rebuilt)).toBe("editor");
  });

  it("is judged by what it holds when the edit is written, not by an earlier read", async () => {
    const world = await declared();
    await world.apply([ci("second")]);
    await readyNow(world, ci(""));
    giveByHand(world);
    await world.apply([ci("third")]);
    await world.until("TenantDenied", [ci("")]);
    expect(subjectOf(world)).toBe("second");
  });
});

describe("an identity with declared role bindings", () => {
  it("costs an edit of who may assume it one list and one read of the permissions", async () => {
    const world = await declared({}, bindingIn(red));
    const calls: string[] = [];
    world.scenario.platform.fault = (call) => void calls.push(call);
    await world.apply([ci("editor", { description: "builds" })]);
    await readyNow(world, ci(""));
    // Before the first edit for a while, the identity itself is read.
    expect(calls).toEqual(["get identities", "update identities"]);
    calls.length = 0;
    await world.apply([ci("another", { description: "builds" })]);
    await readyNow(world, ci(""));
    const permissions = ["list roleBindings", "list roles", "get groups"];
    expect(calls).toEqual(["list roleBindings", ...permissions, "update identities"]);
  });

  it("is given to others by an edit", async () => {
    const world = await declared({}, bindingIn(red));
    await world.apply([ci("another")]);
    await readyNow(world, ci(""), bindingIn(red));
    expect(subjectOf(world)).toBe("another");
    await world.rest();
  });

  it("is given to others if another Tenant declares one, and not if somebody changed that by hand", async () => {
    const binding = bindingIn(blue, "other");
    const world = new TwoTenants();
    world.tenant("blue", { identityUid: "" });
    const shares = { allowedNamespaces: ["other"] };
    await world.apply([ci("editor", shares), binding]);
    await world.until("Available", [ci(""), binding]);
    await world.apply([ci("another", shares)]);
    await readyNow(world, ci(""), binding);
    expect(subjectOf(world)).toBe("another");
    const { platform } = world.scenario;
    giveByHand(world, owner, world.statusOf(binding)?.uid);
    await world.apply([ci("third", shares)]);
    await world.until("TenantDenied", [ci("")]);
    expect(subjectOf(world)).toBe("another");
    // The blue Tenant's object replaces what was changed.
    await world.scenario.resync();
    platform.remove("roleBindings", world.statusOf(binding)?.uid ?? "");
    await world.scenario.resync();
    await world.until("Available", [ci(""), binding]);
    expect(subjectOf(world)).toBe("third");
  });

  it("is not given to others while the other Tenant does not permit what its object declares, or the object only observes it", async () => {
    const binding = bindingIn(blue, "other");
    const shares = { allowedNamespaces: ["other"] };
    const world = new TwoTenants();
    world.tenant("blue", { identityUid: "" });
    await world.apply([ci("editor", shares), binding]);
    await world.until("Available", [ci(""), binding]);
    world.tenant("blue", { identityUid: "", roles: [] });
    await world.until("TenantDenied", [binding]);
    await world.apply([ci("another", shares)]);
    await world.until("TenantDenied", [ci("")]);
    world.tenant("blue", { identityUid: "" });
    await readyNow(world, ci(""), binding);
    expect(subjectOf(world)).toBe("another");
    // Its role binding is left on the platform.
    world.scenario.kube.apply({
      ...binding,
      spec: { ...binding.spec, policy: { drift: "Correct", management: "Observe" } },
    });
    await world.scenario.pass(5_000);
    await world.apply([ci("third", shares)]);
    await world.until("TenantDenied", [ci("")]);
    await world.apply([binding]);
    await readyNow(world, ci(""), binding);
    expect(subjectOf(world)).toBe("third");
  });

  it("is given to others once an object of a Tenant that permits it declares what was given by hand", async () => {
    const binding = bindingIn(blue, "other");
    const world = new TwoTenants();
    world.tenant("blue", { identityUid: "" });
    const shares = { allowedNamespaces: ["other"] };
    await world.apply([ci("editor", shares)]);
    await world.until("Available", [ci("")]);
    giveByHand(world, viewer, `${blue}/00000000000000e3`);
    await world.apply([ci("another", shares)]);
    await world.until("TenantDenied", [ci("")]);
    await world.apply([binding]);
    await readyNow(world, ci(""), binding);
    expect(subjectOf(world)).toBe("another");
  });

  it("is found by its marker and corrected before other Tenants' objects find what they declared", async () => {
    const binding = bindingIn(blue, "other");
    const shares = { allowedNamespaces: ["other"] };
    const first = new TwoTenants();
    first.tenant("blue", { identityUid: "" });
    await first.apply([ci("editor", shares), binding]);
    await first.until("Available", [ci(""), binding]);
    const rebuilt = new TwoTenants();
    rebuilt.tenant("blue", { identityUid: "" });
    for (const collection of ["identities", "roleBindings"] as const)
      for (const one of first.scenario.platform.createdIn(collection)) rebuilt.scenario.platform.set(collection, one);
    await rebuilt.apply([ci("another", shares), binding]);
    await rebuilt.until("Available", [ci(""), binding]);
    expect(subjectOf(rebuilt)).toBe("another");
    expect(rebuilt.scenario.platform.createdIn("roleBindings")).toHaveLength(1);
  });

  it("is given to others in a group that another Tenant shares", async () => {
    const lent: Manifest = {
      kind: "Group",
      name: "lent",
      namespace: "other",
      spec: { parentUid: blue, policy, allowedNamespaces: ["team"] },
    };
    const world = new TwoTenants();
    world.tenant("blue", { identityUid: "" });
    const { groupUid: _group, ...spec } = bindingIn("").spec as Readonly<Record<string, unknown>>;
    const binding = { ...bindingIn(""), spec: { ...spec, groupRef: { name: "lent", namespace: "other" } } };
    await world.apply([lent, ci("editor"), binding]);
    await world.until("Available", [lent, ci(""), binding]);
    await world.apply([ci("another")]);
    await readyNow(world, ci(""), binding);
    expect(subjectOf(world)).toBe("another");
  });
});
