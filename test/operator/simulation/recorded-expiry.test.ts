import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { observeRefusals } from "#src/reconcile/observe/refusals.ts";
import type { Manifest } from "./memory-kube.ts";
import { withEveryFault } from "./fault-points.ts";
import { auditor, root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";
import { red, TwoTenants } from "./two-tenants.ts";

// The expiry that the status records stays in force, whatever becomes of the spec.

const policy = { management: "Full", drift: "Correct" };
/** After the requests of an earlier leader are settled. */
const lifetimeMs = 120_000;
const reader = `${red}/00000000000000f1`;
const unreadable = "2026-11-23T19:00:00+24:00";

function granted(inGroup: string, identityUid: string, fields: object): Manifest {
  const spec = { groupUid: inGroup, identityUid, roleRef: { name: "viewer" }, policy, ...fields };
  return { kind: "RoleBinding", name: "audits", spec };
}

const timeAfter = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString().replace(".000Z", "Z");
const expiring = (fields: object = {}) => granted(red, reader, { expiresAt: timeAfter(lifetimeMs), ...fields });

/** What becomes of the object after the grant was made. */
const changes: readonly { readonly name: string; readonly make: (world: TwoTenants) => void }[] = [
  { name: "expiresAt cannot be read any longer", make: edit({ expiresAt: unreadable }) },
  { name: "another field is invalid", make: edit({ expiresAt: timeAfter(10 * lifetimeMs), uid: "not a uid" }) },
  {
    name: "expiresAt cannot be read any longer, and the object is paused",
    make: (world) => {
      edit({ expiresAt: unreadable })(world);
      world.scenario.kube.annotate("RoleBinding", "audits", { "iam.muster.dev/paused": "true" });
    },
  },
  {
    name: "expiresAt cannot be read any longer, and the object shall only observe",
    make: edit({ expiresAt: unreadable, policy: { ...policy, management: "Observe" } }),
  },
  {
    name: "the object shall only observe, which the Tenant does not allow",
    make: (world) => {
      world.tenant("red", { allowOrphan: false });
      edit({ policy: { ...policy, management: "Observe" } })(world);
    },
  },
];

function edit(fields: object): (world: TwoTenants) => void {
  return ({ scenario }) => scenario.kube.apply(expiring(fields));
}

describe("a grant that expires", () => {
  it.each(changes)("ends although $name, with every fault", async ({ make }) => {
    await withEveryFault(async (fault) => {
      const world = new TwoTenants(fault);
      const { scenario } = world;
      scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
      await world.apply([expiring()]);
      await world.until("Available", [expiring()]);
      expect(world.statusOf(expiring())?.expiresAt).toBe(timeAfter(lifetimeMs));
      make(world);
      // It is no earlier than the recorded time.
      const isGranted = () => scenario.platform.createdIn("roleBindings").length > 0;
      await scenario.until("ended", () => !isGranted() || world.reasonOf(expiring()) === "Expired");
      expect(scenario.clock.now()).toBeGreaterThanOrEqual(Date.parse(timeAfter(lifetimeMs)));
      await scenario.until("ended", () => !isGranted());
      await scenario.until("recorded", () => world.statusOf(expiring())?.uid === undefined);
      expect(world.statusOf(expiring())?.expiresAt).toBeUndefined();
      return world.run;
    });
  });

  it("is extended by a valid spec, and ends at the new time", async () => {
    const world = new TwoTenants();
    const { scenario } = world;
    scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
    await world.apply([expiring()]);
    await world.until("Available", [expiring()]);
    scenario.kube.apply(expiring({ expiresAt: timeAfter(2 * lifetimeMs) }));
    await scenario.pass(5_000);
    scenario.kube.apply(expiring({ expiresAt: unreadable }));
    await world.until("InvalidSpec", [expiring()]);
    expect(world.messageOf(expiring())).toContain(`ends at ${timeAfter(2 * lifetimeMs)} (status.expiresAt)`);
    await world.until("Expired", [expiring()]);
    expect(scenario.clock.now()).toBeGreaterThanOrEqual(Date.parse(timeAfter(2 * lifetimeMs)));
  });
});

describe("a CustomResourceDefinition without the recorded expiry", () => {
  it("costs few writes, and is reported", async () => {
    const scenario = new Scenario();
    const { kube } = scenario;
    kube.droppedFields.add("expiresAt");
    const grant = granted(root, auditor, { expiresAt: timeAfter(86_400_000) });
    kube.apply(grant);
    const status = () => kube.find(grant.kind, grant.name)?.status as Status | undefined;
    await scenario.until("Ready", () => status()?.conditions?.[0]?.status === "True");
    await scenario.pass(60_000);
    const { writes } = kube;
    for (let count = 0; count < 12; count += 1) {
      scenario.process.reconcileAll();
      await scenario.pass(300_000);
    }
    expect(kube.writes - writes).toBeLessThanOrEqual(20);
    expect(scenario.process.failures).toEqual([]);
    expect(JSON.stringify(observeRefusals(scenario.process.sources))).toContain(
      "the CustomResourceDefinition of rolebindings does not have status.expiresAt: upgrade the CRDs",
    );
    kube.droppedFields.clear();
    await scenario.pass(600_000);
    expect(status()?.expiresAt).toBe(timeAfter(86_400_000));
    expect(observeRefusals(scenario.process.sources)).toEqual([]);
  });
});
