import { expect, it } from "vitest";
import { KubeError } from "#src/kube/errors.ts";
import { withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { issuer, red, TwoTenants } from "./two-tenants.ts";

// A grant was created and not recorded, and its identity is another owner's by now: nobody can tell whose the grant is, so it stays
// when its object goes. It is the only trace of it that an event names it, which no death of a process may lose.

const robot = `${red}/00000000000000f1`;
const reads: Manifest = {
  kind: "RoleBinding",
  name: "reads",
  spec: { groupUid: red, identityUid: robot, roleRef: { name: "viewer" }, policy: { drift: "Correct" } },
};

/** The grant exists, no status records it, and its identity carries the marker of another owner. */
async function createUnrecorded(world: TwoTenants): Promise<void> {
  const { kube, platform } = world.scenario;
  kube.apply(reads);
  await world.scenario.until("the grant", () => platform.createdIn("roleBindings").length > 0);
  world.scenario.process.kill();
  kube.refuses = () => undefined;
  platform.set("identities", { uid: robot, name: "robot", description: "theirs [muster:0123abcd+0000000000000005]" });
}

async function begin(fault: Parameters<Parameters<typeof withEveryFault>[0]>[0]): Promise<TwoTenants> {
  const world = new TwoTenants(fault);
  const { kube, platform } = world.scenario;
  platform.setInitial("identities", { uid: robot, name: "robot", description: "", claimMatch: { issuer } });
  kube.refuses = ({ kind, subresource }) =>
    kind === "RoleBinding" && subresource === "status"
      ? new KubeError({ call: "patch rolebindings/status", code: 503, reason: "ServiceUnavailable" }, "not now")
      : undefined;
  await world.scenario.pass(30);
  return world;
}

it("a grant that may be its object's and stays is named by an event, with every fault", async () => {
  let left = 0;
  const { crashes } = await withEveryFault(async (fault) => {
    const world = await begin(fault);
    const { scenario } = world;
    await createUnrecorded(world);
    scenario.kube.remove(reads);
    await scenario.until("gone", () => scenario.kube.find(reads.kind, reads.name) === undefined);
    await scenario.pass(20_000);
    const existing = scenario.platform.createdIn("roleBindings");
    left += existing.length;
    // The process may die between the event and the removal of the finalizer; then it is written again.
    if (existing.length > 0) expect(scenario.events).toContain("Orphaned reads");
    return world.run;
  });
  console.info(`${crashes} crash points; ${left} grants stayed`);
  expect(left).toBeGreaterThan(0);
});

it("an event that is refused, as in a namespace that is being deleted, is about the namespace", async () => {
  const world = await begin({});
  const { scenario } = world;
  await createUnrecorded(world);
  scenario.kube.forbidsStatus = true;
  scenario.kube.remove(reads);
  await scenario.until("gone", () => scenario.kube.find(reads.kind, reads.name) === undefined);
  expect(scenario.events).toContain("Orphaned team");
});
