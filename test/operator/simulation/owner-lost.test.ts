import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { Manifest } from "./memory-kube.ts";
import { operatorIdentity, root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { management: "Full", drift: "Correct", deletion: "Delete" };
const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const count = 6;

/** Identities with a role binding each. */
function objects(subject: string, prefix = "ci"): readonly Manifest[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`).flatMap((name): Manifest[] => [
    { kind: "Identity", name, spec: { groupUid: root, claimMatch: { ...claimMatch, subject }, policy } },
    {
      kind: "RoleBinding",
      name,
      spec: { groupUid: root, identityRef: { name }, roleRef: { name: "viewer" }, policy },
    },
  ]);
}

/** A cluster whose identity on the platform records another owner from the call with the number `lostAt` on. */
class Cluster {
  readonly scenario: Scenario;
  readonly calls: { readonly call: string; readonly at: number }[] = [];
  lostAt = Number.POSITIVE_INFINITY;
  lostSince: number | undefined;

  constructor(ownerId: string, beside?: Scenario) {
    this.scenario = new Scenario({}, undefined, undefined, {
      ownerId,
      checksOwner: true,
      ...(beside === undefined ? {} : { beside }),
    });
    this.record(ownerId);
    const { platform, clock } = this.scenario;
    platform.fault = (call) => {
      this.calls.push({ call, at: clock.monotonic() });
      if (this.calls.length === this.lostAt) {
        this.record("another");
        this.lostSince = clock.monotonic();
      }
      return undefined;
    };
  }

  record(owner: string): void {
    const identity = { uid: operatorIdentity, name: "muster", description: withRecordedOwner("", owner) };
    this.scenario.platform.set("identities", identity);
  }

  /** The calls of these names that arrived after the owner was lost, in milliseconds since then. */
  after(...names: readonly string[]): readonly number[] {
    const since = this.lostSince ?? Number.POSITIVE_INFINITY;
    return this.calls.flatMap(({ call, at }) => (names.includes(call) && at > since ? [at - since] : []));
  }

  async ready(manifests: readonly Manifest[]): Promise<void> {
    for (const manifest of manifests) this.scenario.kube.apply(manifest);
    await this.scenario.until("Ready", () => manifests.every((one) => this.isReady(one)));
  }

  isReady({ kind, name }: Manifest): boolean {
    const object = this.scenario.kube.find(kind, name);
    const status = object?.status as Status | undefined;
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    return ready?.status === "True" && ready.observedGeneration === object?.metadata.generation;
  }
}

const deletions = ["delete identities", "delete roleBindings"];
/** Each call takes a millisecond: the read had the response, and the next call was under way. */
const inFlightMs = 1;

describe("an owner id that is given to another cluster between any two calls", () => {
  it("ends the deletions, except for the calls in flight", async () => {
    let [moments, late] = [0, 0];
    for (let lostAfter = 1; ; lostAfter += 1) {
      const cluster = new Cluster("first");
      const all = objects("ci");
      await cluster.ready(all);
      await cluster.scenario.pass(5_000);
      cluster.lostAt = cluster.calls.length + lostAfter;
      for (const one of all) cluster.scenario.kube.remove(one);
      await cluster.scenario.pass(120_000);
      if (cluster.lostSince === undefined) break;
      const times = cluster.after(...deletions);
      expect(Math.max(0, ...times), `lost at call ${lostAfter}`).toBeLessThanOrEqual(inFlightMs);
      late += times.length;
      moments += 1;
      // Nothing is lost: the deletion continues when the identity records this owner again.
      cluster.record("first");
      await cluster.scenario.until("deleted", () => cluster.scenario.kube.objects().length === 0);
      expect(cluster.scenario.platform.created()).toEqual([]);
    }
    console.info(`${moments} moments, ${late} deletions in flight`);
    expect(moments).toBeGreaterThan(2 * count);
  });

  it("ends the changes of who may assume an identity, except for the calls in flight", async () => {
    let moments = 0;
    for (let lostAfter = 1; ; lostAfter += 1) {
      const cluster = new Cluster("first");
      await cluster.ready(objects("ci"));
      await cluster.scenario.pass(5_000);
      cluster.lostAt = cluster.calls.length + lostAfter;
      for (const one of objects("another")) cluster.scenario.kube.apply(one);
      await cluster.scenario.pass(120_000);
      if (cluster.lostSince === undefined) break;
      const times = cluster.after("update identities");
      expect(Math.max(0, ...times), `lost at call ${lostAfter}`).toBeLessThanOrEqual(inFlightMs);
      moments += 1;
    }
    console.info(`${moments} moments`);
    expect(moments).toBeGreaterThan(2 * count);
  });

  it("leaves what the other cluster has made", async () => {
    const first = new Cluster("first");
    await first.ready(objects("ci"));
    const second = new Cluster("another", first.scenario);
    first.record("first");
    const { platform } = first.scenario;
    const before = new Set(platform.created().map(({ uid }) => uid));
    first.lostAt = first.calls.length + 10;
    for (const one of objects("ci")) first.scenario.kube.remove(one);
    // The second one replaced the hook of the platform.
    first.record("another");
    await second.ready(objects("ci", "other"));
    const made = (): readonly ExternalResource[] => platform.created().filter(({ uid }) => !before.has(uid));
    expect(made().length).toBeGreaterThan(0);
    const kept = made();
    await first.scenario.pass(600_000);
    expect(made()).toEqual(kept);
  });

  it("is read once for each burst of deletions, once for each single one, and never at rest", async () => {
    const cluster = new Cluster("first");
    const all = objects("ci");
    await cluster.ready(all);
    const { kube, platform } = cluster.scenario;
    await cluster.scenario.pass(600_000);
    const ofOwner = () => cluster.calls.filter(({ call }) => call === "get identities").length;
    let before = ofOwner();
    await cluster.scenario.resync();
    await cluster.scenario.pass(600_000);
    expect(ofOwner() - before).toBe(0);
    const [first, ...others] = all.filter(({ kind }) => kind === "RoleBinding");
    if (first !== undefined) kube.remove(first);
    await cluster.scenario.pass(10_000);
    expect(ofOwner() - before).toBe(1);
    before = ofOwner();
    for (const one of others) kube.remove(one);
    await cluster.scenario.pass(10_000);
    console.info(`${ofOwner() - before} reads for ${others.length} deletions with 4 workers`);
    expect(ofOwner() - before).toBeLessThan(others.length);
    expect(platform.createdIn("roleBindings")).toEqual([]);
  });
});
