import { describe, expect, it } from "vitest";
import { inTurn, momentsInTurn, oneIn } from "#test/support/turn/in-turn.ts";
import { crashPoints, lossPoints, withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, root } from "./memory-platform.ts";
import { type Fault, type Run, Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const org: Manifest = { kind: "Group", name: "org", spec: { parentUid: root, policy } };
const shop: Manifest = {
  kind: "Group",
  name: "shop",
  spec: { parentRef: { name: "org" }, description: "first", policy },
};
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer: "https://issuer.example", subject: "ci" }, policy },
};
const views = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: {
    groupRef: { name: "shop" },
    identityRef: { name: "ci" },
    roleRef: { name: "viewer" },
    policy: { ...policy, adoption: "IfExists" },
  },
} satisfies Manifest;
const tree = [org, shop, ci, views];
/** Its identity is not part of the tree, so it survives the tree. */
const audits: Manifest = {
  ...views,
  name: "auditor-views",
  spec: { groupRef: { name: "shop" }, identityUid: auditor, roleRef: { name: "viewer" }, policy: views.spec.policy },
};
const treeAndAudit = [...tree, audits];
const edited = { ...shop, spec: { ...shop.spec, description: "second" } };
const resyncs = 10;

function orders<T>(items: readonly T[]): T[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, index) =>
    orders([...items.slice(0, index), ...items.slice(index + 1)]).map((rest) => [first, ...rest]),
  );
}

/**
 * Creates, edits, deletes and re-creates a tree in the order of `manifests`, with `gapMs` between two objects, and checks
 * the result of each part.
 */
async function runLifecycle(
  manifests: readonly Manifest[],
  gapMs: number,
  fault: Fault,
): Promise<{ readonly scenario: Scenario; readonly run: Run }> {
  const scenario = new Scenario(fault);
  const { kube, platform } = scenario;
  const create = async () => {
    for (const manifest of manifests) {
      kube.apply(manifest);
      await scenario.pass(gapMs);
    }
    await scenario.until("created", () => scenario.differences(tree).length === 0);
  };
  await create();
  kube.apply(edited);
  await scenario.until("edited", () => scenario.differences([org, edited, ci, views]).length === 0);
  for (const manifest of manifests) {
    kube.remove(manifest);
    await scenario.pass(gapMs);
  }
  await scenario.until("deleted", () => kube.objects().length === 0 && platform.created().length === 0);
  await create();
  // Late requests have taken effect by now; the next resync sees them.
  await scenario.pass(60_000);
  await scenario.resync();
  await scenario.until("at rest", () => scenario.differences(tree).length === 0);
  const { run } = scenario;
  await expectNoWritesAtRest(scenario);
  return { scenario, run };
}

async function expectNoWritesAtRest(scenario: Scenario): Promise<void> {
  const { kube, platform } = scenario;
  await scenario.pass(5_000);
  const before = [kube.writes, platform.writes];
  for (let count = 0; count < resyncs; count += 1) {
    scenario.process.reconcileAll();
    await scenario.resync();
    await scenario.pass(600_000);
  }
  expect([kube.writes, platform.writes]).toEqual(before);
}

describe("a tree in a closed loop", () => {
  it("converges in every order of creation and deletion, and then makes no writes", async () => {
    let count = 0;
    const paced = [0, 7, 3_000].flatMap((gapMs) => orders(tree).map((manifests) => ({ manifests, gapMs })));
    for (const { manifests, gapMs } of inTurn(paced)) {
      const { scenario } = await runLifecycle(manifests, gapMs, {});
      expect(scenario.process.failures).toEqual([]);
      count += 1;
    }
    console.info(`${count} orders and paces`);
  });

  it.each([
    ["parents first", tree, 0],
    ["children first", tree.toReversed(), 7],
  ])(
    "survives a crash before and after every call, and the loss of the response to every POST: %s",
    async (_, manifests, gapMs) => {
      const { crashes, lost } = await withEveryFault(
        async (fault) => (await runLifecycle(manifests, gapMs, fault)).run,
        (run) => {
          expect(run.posts).toBe(8);
          return [...crashPoints(run), ...lossPoints(run)];
        },
      );
      console.info(`${crashes} crash points, ${lost} lost responses`);
      expect(crashes * oneIn).toBeGreaterThanOrEqual(80);
    },
  );

  /** Deletes the tree `afterMs` after it was applied, whatever has been created by then. */
  async function runInterruptedCreation(manifests: readonly Manifest[], afterMs: number, fault: Fault): Promise<Run> {
    const scenario = new Scenario(fault);
    const { kube, platform } = scenario;
    for (const manifest of treeAndAudit) kube.apply(manifest);
    await scenario.pass(afterMs);
    for (const manifest of manifests) kube.remove(manifest);
    await scenario.until("deleted", () => kube.objects().length === 0);
    await scenario.pass(60_000);
    expect(platform.created()).toEqual([]);
    return scenario.run;
  }

  const creationMs = 120;

  it("leaves no resources behind if it is deleted at any time during its creation", async () => {
    let count = 0;
    for (const afterMs of momentsInTurn(creationMs, 1))
      for (const manifests of [treeAndAudit, treeAndAudit.toReversed()]) {
        await runInterruptedCreation(manifests, afterMs, {});
        count += 1;
      }
    console.info(`${count} moments`);
  });

  it.each([
    ["the response to every POST is lost", 5, lossPoints],
    ["the process dies before or after every call", 15, crashPoints],
  ])("leaves no resources behind if %s, too", async (_, stepMs, pointsOf) => {
    let count = 0;
    for (let afterMs = 0; afterMs <= creationMs; afterMs += stepMs) {
      const run = (fault: Fault) => runInterruptedCreation(treeAndAudit, afterMs, fault);
      const { tried } = await withEveryFault(run, pointsOf).catch((error: Error) => {
        throw new Error(`deleted after ${afterMs} ms: ${error.message}`, { cause: error });
      });
      count += tried;
    }
    console.info(`${count} faults`);
  });
});
