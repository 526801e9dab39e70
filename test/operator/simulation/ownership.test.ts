import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, lostResponses, root, viewer } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { management: "Full", drift: "Correct" };
const named = { ...policy, adoption: "Never" };
const shop: Manifest = { kind: "Group", name: "shop", spec: { parentUid: root, undeclared: "Report", policy: named } };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: root, claimMatch: { issuer: "https://issuer.example", subject: "ci" }, policy: named },
};
const views: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: { groupUid: root, identityRef: { name: "ci" }, roleRef: { name: "viewer" }, policy },
};
const audits: Manifest = {
  kind: "RoleBinding",
  name: "auditor-views",
  spec: { groupUid: root, identityUid: auditor, roleRef: { name: "viewer" }, policy },
};

function statusOf(scenario: Scenario, { kind, name }: Manifest): Status | undefined {
  return scenario.kube.find(kind, name)?.status as Status | undefined;
}

function reasonOf(scenario: Scenario, manifest: Manifest): string | undefined {
  return statusOf(scenario, manifest)?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

const handMade = {
  uid: `${root}/eeeeeeeeeeeeeeee`,
  identity: { uid: auditor, name: "" },
  role: { uid: viewer, name: "viewer" },
};

describe("D4: the ledger of POSTs", () => {
  it.each(lostResponses)("does not claim a second binding that was made by hand later: %s", async (how) => {
    const scenario = new Scenario({ lose: { post: 0, how } });
    scenario.kube.apply(audits);
    await scenario.until("Ready", () => reasonOf(scenario, audits) === "Available");
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.pass(60_000);
    scenario.platform.set("roleBindings", handMade);
    await scenario.resync();
    scenario.process.reconcileAll();
    await scenario.pass(60_000);
    expect(scenario.platform.created().map(({ uid }) => uid)).toContain(handMade.uid);
    expect(scenario.platform.created()).toHaveLength(2);
  });
});

describe("D8: a grant whose create response was lost", () => {
  it.each(lostResponses)("ends although its identity is kept: %s", async (how) => {
    for (let afterMs = 0; afterMs <= 120; afterMs += 3)
      for (const post of [0, 1]) {
        const scenario = new Scenario({ lose: { post, how } });
        const orphan = { ...ci, spec: { ...ci.spec, policy: { ...named, deletion: "Orphan" } } };
        for (const manifest of [orphan, views]) scenario.kube.apply(manifest);
        await scenario.pass(afterMs);
        for (const manifest of [orphan, views]) scenario.kube.remove(manifest);
        await scenario.until("deleted", () => scenario.kube.objects().length === 0);
        await scenario.pass(60_000);
        const grants = scenario.platform.created().filter((one) => "role" in one);
        expect(grants, `POST ${post}, deleted after ${afterMs} ms`).toEqual([]);
      }
  });
});

describe("D9: a resource with the object's marker below another group", () => {
  it("is not taken for the object's, and nothing is created in it", async () => {
    const scenario = new Scenario();
    const { platform } = scenario;
    const elsewhere = `${root}/00000000000000e1`;
    const copy = {
      uid: `${elsewhere}/00000000000000e2`,
      name: "shop",
      description: withMarker("", markerOf(ownerHash("cluster"), objectHash("Group", "team", "shop"))),
    };
    platform.setInitial("groups", { uid: elsewhere, name: "elsewhere", description: "" });
    platform.set("groups", copy);
    const { groupUid: _, ...identity } = ci.spec as { readonly groupUid: string };
    const inShop: Manifest = { ...ci, spec: { ...identity, groupRef: { name: "shop" } } };
    for (const manifest of [shop, inShop]) scenario.kube.apply(manifest);
    await scenario.until("Ready", () => [shop, inShop].every((one) => reasonOf(scenario, one) === "Available"));
    expect(platform.created().filter(({ uid }) => uid.startsWith(elsewhere))).toEqual([copy]);
    expect(statusOf(scenario, inShop)?.parentUid).toBe(statusOf(scenario, shop)?.uid);
  });
});

describe("D10: of equal claims", () => {
  const twins: readonly [string, Manifest, Manifest][] = [
    ["role bindings", { ...audits, name: "a" }, { ...audits, name: "b" }],
    [
      "names",
      { ...shop, name: "a", spec: { ...shop.spec, name: "shop" } },
      { ...shop, name: "b", spec: { ...shop.spec, name: "shop" } },
    ],
  ];
  it.each(twins)("the oldest is Ready, and the other follows when it goes: %s", async (_, a, b) => {
    for (const order of [
      [a, b],
      [b, a],
    ])
      for (const gapMs of [0, 1, 5, 30, 3_000]) {
        const scenario = new Scenario();
        for (const manifest of order) {
          scenario.kube.apply(manifest);
          await scenario.pass(gapMs);
        }
        const isReady = (one: Manifest) => reasonOf(scenario, one) === "Available";
        await scenario.until(`one wins after ${gapMs} ms`, () => isReady(a) || isReady(b));
        const [winner, loser] = isReady(a) ? [a, b] : [b, a];
        // What is recorded first wins; of what is applied at once, the first by name.
        if (gapMs <= 1) expect(winner).toBe(a);
        if (gapMs >= 3_000) expect(winner).toBe(order[0]);
        const reached = () => isReady(winner) && reasonOf(scenario, loser) === "Conflict";
        await scenario.until("the other is in Conflict", reached);
        await scenario.pass(30_000);
        expect(reached()).toBe(true);
        expect(scenario.platform.created()).toHaveLength(1);
        scenario.kube.remove(winner);
        await scenario.until("the other is Ready", () => reasonOf(scenario, loser) === "Available");
        expect(scenario.platform.created()).toHaveLength(1);
        expect(scenario.process.failures).toEqual([]);
      }
  });

  it("those in Conflict are not woken by what happens to other grants", async () => {
    const scenario = new Scenario();
    const losers = Array.from({ length: 20 }, (_, index) => ({ ...audits, name: `loser-${index}` }));
    scenario.kube.apply(audits);
    scenario.kube.apply(ci);
    await scenario.until("Ready", () => scenario.differences([audits, ci]).length === 0);
    for (const loser of losers) scenario.kube.apply(loser);
    await scenario.until("Conflicts", () => losers.every((one) => reasonOf(scenario, one) === "Conflict"));
    await scenario.pass(30_000);
    const before = scenario.process.reconciles;
    scenario.kube.apply(views);
    await scenario.until("Ready", () => reasonOf(scenario, views) === "Available");
    await scenario.pass(5_000);
    expect(scenario.process.reconciles - before).toBeLessThan(losers.length);
  });

  it("a rename to a name that another object has is a Conflict before any write", async () => {
    const scenario = new Scenario();
    const other: Manifest = { ...shop, name: "other" };
    for (const manifest of [shop, other]) scenario.kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences([shop, other]).length === 0);
    scenario.kube.apply({ ...other, spec: { ...other.spec, name: "shop" } });
    await scenario.until("a Conflict", () => reasonOf(scenario, other) === "Conflict");
    expect(
      scenario.platform
        .created()
        .map((one) => (one as { name?: string }).name)
        .toSorted((x, y) => (x ?? "").localeCompare(y ?? "")),
    ).toEqual(["other", "shop"]);
    scenario.kube.remove(shop);
    await scenario.until("renamed", () => reasonOf(scenario, other) === "Available");
  });
});
