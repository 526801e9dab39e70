import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { OperatorTelemetry } from "#src/commands/operator/telemetry.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { Store } from "#src/kube/store.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { createLog } from "#src/telemetry/log.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { auditor, root, viewer } from "./memory-platform.ts";
import type { Scenario } from "./scenario.ts";
import { auditorViews, shop, startWorld } from "./undeclared-world.ts";

/** The metrics of the operator. */
function metricsOf({ process: { sources, undeclared } }: Scenario): Promise<string> {
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), new OperatorMetrics());
  telemetry.watchSources(sources, { tenants: new Store<CachedTenant>({ indexes: {} }), class: "" }, undeclared);
  return telemetry.metrics.text();
}

describe("Remove", () => {
  it("removes a grant and an identity after two resyncs, and nothing declared", async () => {
    const { scenario, identity, group, grant, stranger, existing, resync, access, uidOf, events, share } =
      await startWorld("Remove");
    const other = stranger();
    const [first, second] = [grant(identity), grant(other)];
    await resync();
    expect(existing(first, second, other)).toEqual([first, second, other]);
    await resync();
    // An identity goes after its role bindings.
    expect(existing(first, second, other)).toEqual([other]);
    // The Tenant's status counts what the metric counts.
    const counts = Object.fromEntries(scenario.process.undeclared.counts());
    expect(counts).toEqual({ ...Object.fromEntries(kinds.map(({ name }) => [name, 0])), Identity: 2 });
    expect(share()?.uids.toSorted()).toEqual([auditor, other]);
    await resync();
    expect(existing(first, second, other, identity, group, uidOf("RoleBinding", "ci-views"))).toHaveLength(3);
    expect(access()?.status).toBe("True");
    expect(events.filter((event) => event === "Deleted shop")).toHaveLength(3);
  });

  it("looks at the objects right before a removal", async () => {
    const { kube, scenario, grant, existing, resync } = await startWorld("Remove");
    const uid = grant(auditor, viewer);
    await resync();
    // The second resync finds the grant undeclared; the object arrives before the removal.
    kube.annotate("Group", "shop", { [pausedAnnotation]: "true" });
    await resync();
    kube.apply(auditorViews);
    await scenario.pass(1_000);
    kube.annotate("Group", "shop", {});
    await scenario.pass(5_000);
    expect(existing(uid)).toEqual([uid]);
  });

  it("backs off from a writer that creates the same grant again, three times within an hour", async () => {
    const { grant, identity, existing, resync, access } = await startWorld("Remove");
    let uid = "";
    for (let removals = 0; removals < 3; removals += 1) {
      uid = grant(identity);
      await resync(2);
      expect(existing(uid)).toEqual([]);
    }
    uid = grant(identity);
    await resync(4);
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("another writer");
  });

  it("tries a removal that fails once per resync, and the Group stays Ready", async () => {
    const { platform, grant, identity, existing, resync, access, scenario } = await startWorld("Remove");
    let attempts = 0;
    platform.delete = async () => {
      attempts += 1;
      throw new PlatformFailure("delete roleBindings", { kind: "noResponse", message: "away" });
    };
    const uid = grant(identity);
    await resync();
    for (let count = 1; count <= 3; count += 1) {
      await resync();
      await scenario.pass(30_000);
      expect(attempts).toBe(count);
    }
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("the last attempt failed");
    expect(scenario.differences([shop("Remove")])).not.toContainEqual(expect.stringContaining("not Ready"));
  });

  it("asks before it removes many at once", async () => {
    let confirmation: string | undefined;
    const { scenario, grant, stranger, existing, resync, access, share } = await startWorld("Remove", {
      confirmation: () => confirmation,
    });
    const identity = stranger({}, root);
    const uids = Array.from({ length: 45 }, () => grant(identity));
    await resync(3);
    expect(existing(...uids)).toHaveLength(45);
    expect(share()?.held?.uids.size).toBe(45);
    expect(await metricsOf(scenario)).toContain("muster_breaker 45");
    confirmation = share()?.held?.id;
    expect(access()?.message).toContain(String(confirmation));
    expect(scenario.process.undeclared.groupsHeldBy("all", "another id")).toEqual([]);
    expect(scenario.process.undeclared.groupsHeldBy("all", confirmation ?? "")).toHaveLength(1);
    await scenario.resync();
    // The next resync comes in the middle of it, and does not ask again.
    await resync();
    expect(existing(...uids)).toEqual([]);
  });
});
