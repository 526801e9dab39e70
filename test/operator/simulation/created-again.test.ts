import { describe, expect, it } from "vitest";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { viewer } from "./memory-platform.ts";
import { issuer, red, TwoTenants } from "./two-tenants.ts";

// A resource that somebody deleted is created again, and its object is deleted before its status records the new uid.

const reader = `${red}/00000000000000f1`;
const byHand = `${red}/00000000000000f2`;
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
      platform.remove(collection, world.statusOf(object)?.uid ?? "");
      const posts = platform.posts;
      const resync = scenario.resync();
      await scenario.until("the second creation", () => platform.posts > posts);
      if (end === "it expires") {
        kube.apply({ ...object, spec: { ...object.spec, expiresAt: "2026-01-01T00:00:00Z" } });
        await world.until("Expired", [object]);
      } else {
        kube.remove(object);
        await scenario.until("gone", () => kube.find(object.kind, object.name) === undefined);
      }
      await resync;
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
