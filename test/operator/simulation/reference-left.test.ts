import { expect, it } from "vitest";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import type { TwoTenants as World } from "./two-tenants.ts";
import { issuer, red, TwoTenants } from "./two-tenants.ts";

// An object leaves its resource on the platform and goes, while a role binding refers to it whose creation was perhaps not recorded:
// what the role binding created can be found only by what its reference means. The grant ends with its object. If the identity is
// another owner's by now, nobody can tell who granted the role, and an event names what stays.

const policy = { drift: "Correct" };
const robot = (spec: object = {}): Manifest => ({
  kind: "Identity",
  name: "robot",
  spec: { groupUid: red, claimMatch: { issuer, subject: "robot" }, policy: { ...policy, ...spec } },
});
const reads: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  spec: { groupUid: red, identityRef: { name: "robot" }, roleRef: { name: "viewer" }, policy },
};

const leaves: readonly { what: string; identity: Manifest; make: (world: World) => void }[] = [
  {
    what: "another owner took",
    identity: robot(),
    make: ({ scenario: { platform } }) => {
      for (const one of platform.createdIn("identities"))
        platform.set("identities", { ...one, description: "theirs [muster:0123abcd+0000000000000005]" });
    },
  },
  { what: "it orphans", identity: robot({ deletion: "Orphan" }), make: () => undefined },
];

it.each(leaves)(
  "a grant to an identity that $what is not forgotten, with every fault",
  async ({ what, identity, make }) => {
    let waited = 0;
    const { crashes } = await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      const { kube, platform } = scenario;
      const isGone = (one: Manifest) => kube.find(one.kind, one.name) === undefined;
      await scenario.pass(30);
      // Its status says something before anything is created.
      kube.apply(reads);
      await world.until("ReferenceNotFound", [reads]);
      kube.apply(identity);
      await scenario.until("the identity", () => platform.createdIn("identities").length > 0);
      await scenario.pass(30);
      make(world);
      kube.remove(identity);
      const isWaiting = () => world.reasonOf(identity) === "ChildrenExist";
      await scenario.until("gone, or waiting", () => isGone(identity) || isWaiting());
      if (isWaiting()) waited += 1;
      kube.remove(reads);
      await scenario.until("gone", () => isGone(identity) && isGone(reads));
      await scenario.pass(20_000);
      const isReported = what === "another owner took" && scenario.events.includes("Orphaned reads");
      expect(platform.createdIn("roleBindings")).toHaveLength(isReported ? 1 : 0);
      return world.run;
    });
    console.info(`${crashes} crash points; ${waited} times, the identity waited for the role binding`);
  },
);
