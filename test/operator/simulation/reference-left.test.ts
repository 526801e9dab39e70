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

interface Leave {
  readonly what: string;
  readonly identity: Manifest;
  readonly isTaken: boolean;
  readonly make: (world: World) => void;
}

function take({ scenario: { platform } }: World): void {
  for (const one of platform.createdIn("identities"))
    platform.set("identities", { ...one, description: "theirs [muster:0123abcd+0000000000000005]" });
}

const leaves: readonly Leave[] = [
  { what: "another owner took", identity: robot(), isTaken: true, make: take },
  {
    what: "another owner took while no Tenant selects its namespace",
    identity: robot(),
    isTaken: true,
    make: (world) => {
      take(world);
      world.assign("team", "nobody");
    },
  },
  { what: "it orphans", identity: robot({ deletion: "Orphan" }), isTaken: false, make: () => undefined },
];

it.each(leaves)(
  "a grant to an identity that $what is not forgotten, with every fault",
  async ({ isTaken, identity, make }) => {
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
      const isWaiting = () => ["ChildrenExist", "NoTenant"].includes(world.reasonOf(identity) ?? "");
      await scenario.until("gone, or waiting", () => isGone(identity) || isWaiting());
      await scenario.pass(40_000);
      if (!isGone(identity)) waited += 1;
      world.assign("team", "red");
      kube.remove(reads);
      await scenario.until("gone", () => isGone(identity) && isGone(reads));
      await scenario.pass(20_000);
      const isReported = isTaken && scenario.events.includes("Orphaned reads");
      expect(platform.createdIn("roleBindings")).toHaveLength(isReported ? 1 : 0);
      return world.run;
    });
    console.info(`${crashes} crash points; ${waited} times, the identity waited for the role binding`);
  },
);
