import { describe, expect, it } from "vitest";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import { awsAccount, issuer, red, TwoTenants } from "./two-tenants.ts";

// A resource that somebody deleted is created again, and its object is deleted before its status records the new uid.

const reader = `${red}/00000000000000f1`;
const byHand = `${red}/00000000000000f2`;

/** Removes the resource of an object, and waits until it was created again, and not recorded yet. @returns the end of the resync. */
async function createdAgain({ scenario }: TwoTenants, collection: string, uid = ""): Promise<{ done: Promise<void> }> {
  const { platform } = scenario;
  platform.remove(collection, uid);
  const posts = platform.posts;
  const done = scenario.resync();
  await scenario.until("the second creation", () => platform.posts > posts);
  return { done };
}

const cases: readonly { readonly collection: string; readonly object: Manifest }[] = [
  {
    collection: "identities",
    object: { kind: "Identity", name: "ci", spec: { groupUid: red, claimMatch: { issuer, subject: "ci" } } },
  },
  {
    collection: "roleBindings",
    object: {
      kind: "RoleBinding",
      name: "reads",
      spec: { groupUid: red, identityUid: reader, roleRef: { name: "viewer" } },
    },
  },
].map(({ collection, object }) => ({
  collection,
  object: { ...object, spec: { ...object.spec, policy: { drift: "Correct" } } },
}));

describe.each(cases)("$object.kind", ({ collection, object }) => {
  const ends = ["its object is deleted", "it expires"].slice(0, object.kind === "RoleBinding" ? 2 : 1);

  it.each(ends)("that was created again does not stay when %s, with every fault", async (end) => {
    const { crashes, lost } = await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      const { kube, platform } = scenario;
      platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      await world.apply([object]);
      await world.until("Available", [object]);
      const resync = await createdAgain(world, collection, world.statusOf(object)?.uid);
      if (end === "it expires") {
        kube.apply({ ...object, spec: { ...object.spec, expiresAt: "2026-01-01T00:00:00Z" } });
        await world.until("Expired", [object]);
      } else {
        kube.remove(object);
        await scenario.until("gone", () => kube.find(object.kind, object.name) === undefined);
      }
      await resync.done;
      await scenario.pass(40_000);
      await scenario.until("a process", () => true);
      expect(platform.created()).toEqual([]);
      return world.run;
    });
    expect(crashes + lost).toBeGreaterThan(0);
  });
});

it("spares a grant of somebody else that equals one that the operator deletes", async () => {
  const [, grant] = cases;
  if (grant === undefined) throw new Error("no case");
  const world = new TwoTenants();
  const { kube, platform } = world.scenario;
  platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  await world.apply([grant.object]);
  await world.until("Available", [grant.object]);
  platform.setInitial("roleBindings", {
    uid: byHand,
    identity: { uid: reader, name: "" },
    role: { uid: viewer, name: "" },
  });
  await world.scenario.resync();
  kube.remove(grant.object);
  await world.scenario.until("gone", () => kube.find("RoleBinding", "reads") === undefined);
  expect([platform.has(byHand), platform.created()]).toEqual([true, []]);
});

describe("a resource that was created in place of an adopted one", () => {
  const identity: Manifest = {
    kind: "Identity",
    name: "ci",
    spec: { groupUid: red, claimMatch: { issuer, subject: "ci" }, policy: { adoption: "IfExists", drift: "Correct" } },
  };
  const accounts: Manifest = {
    kind: "AccountAssociation",
    name: "cloud",
    spec: {
      groupUid: red,
      amazon: { account: awsAccount },
      policy: { management: "Full", adoption: "IfExists", drift: "Correct" },
    },
  };

  it.each([
    ["identities", identity, byHand],
    ["accountAssociations", accounts, red],
  ])("does not stay when its object is deleted, as the adopted one would: %s", async (collection, object, uid) => {
    const world = new TwoTenants();
    const { kube, platform } = world.scenario;
    platform.setInitial(collection, { uid, name: "ci", description: "", createTime: "2025-01-01T00:00:00.000Z" });
    await world.apply([object]);
    await world.until("Available", [object]);
    expect(world.statusOf(object)?.management).toBe("Adopted");
    const resync = await createdAgain(world, collection, uid);
    kube.remove(object);
    await world.scenario.until("gone", () => kube.find(object.kind, object.name) === undefined);
    await resync.done;
    expect(platform.created()).toEqual([]);
  });
});

describe("an object that only observes from now on", () => {
  const [{ object, collection } = { object: undefined, collection: "" }] = cases;
  if (object === undefined) throw new Error("no case");
  const observing = { ...object, spec: { ...object.spec, policy: { management: "Observe", drift: "Report" } } };

  it("leaves what was created again without its marker, with every fault", async () => {
    const { crashes, lost } = await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { kube, platform } = world.scenario;
      await world.apply([object]);
      await world.until("Available", [object]);
      const resync = await createdAgain(world, collection, world.statusOf(object)?.uid);
      kube.apply(observing);
      await resync.done;
      // Late requests take effect. A POST that was lost may have created none or two, of which nothing can be observed.
      if (fault.lose !== undefined) await world.scenario.pass(60_000);
      const descriptions = () => platform.created().map(({ description }) => description);
      if (fault.lose === undefined || descriptions().length === 1)
        await world.scenario.until("observed", () => world.statusOf(object)?.management === "Observed");
      else expect(world.reasonOf(object)).not.toBe("Available");
      expect(descriptions()).toEqual(fault.lose === undefined ? [""] : descriptions().map(() => ""));
      return world.run;
    });
    expect(crashes + lost).toBeGreaterThan(0);
  });

  it("waits, if its Tenant does not let it leave what was created again", async () => {
    const world = new TwoTenants();
    world.tenant("red", { allowOrphan: false });
    await world.apply([object]);
    await world.until("Available", [object]);
    const resync = await createdAgain(world, collection, world.statusOf(object)?.uid);
    world.scenario.kube.apply(observing);
    await resync.done;
    await world.until("TenantDenied", [object]);
  });
});
