import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { saysAdopted, withMarker } from "#src/kinds/marker.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";
import { oneIn } from "#test/support/turn/in-turn.ts";
import { crashPoints, withEveryFault } from "./fault-points.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, owner, root, viewer } from "./memory-platform.ts";
import { type Fault, Scenario } from "./scenario.ts";

const policy = { management: "Full", drift: "Correct" };
const uid = `${root}/eeeeeeeeeeeeeeee`;
const claimMatch = { issuer: "https://issuer.example", subject: "ci" };
const handMade = { uid, name: "ci", description: "by hand", claimMatch: { ...claimMatch, subject: "another" } };
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupUid: root, claimMatch, policy: { ...policy, adoption: "IfExists" } },
};
const audits = {
  kind: "RoleBinding",
  name: "auditor-views",
  spec: { groupUid: root, identityUid: auditor, roleRef: { name: "viewer" }, policy },
} satisfies Manifest;

function statusOf({ kube }: Scenario, { kind, name }: Manifest): Status | undefined {
  return kube.find(kind, name)?.status as Status | undefined;
}

function reasonOf(scenario: Scenario, manifest: Manifest): string | undefined {
  return statusOf(scenario, manifest)?.conditions?.find(({ type }) => type === "Ready")?.reason;
}

function find({ platform }: Scenario, one = uid): (ExternalResource & { readonly claimMatch?: object }) | undefined {
  return platform.created().find((resource) => resource.uid === one);
}

/** Runs `run` without a fault, and then with a crash before and after every call. */
async function withEveryCrash(run: (fault: Fault) => Promise<Scenario>): Promise<void> {
  let calls = 0;
  const { crashes } = await withEveryFault(
    async (fault) => (await run(fault)).run,
    (whole) => {
      ({ calls } = whole);
      return crashPoints(whole);
    },
  );
  console.info(`${crashes} crash points of ${calls} calls`);
  expect(crashes * oneIn).toBeGreaterThan(calls);
}

describe("an identity that existed before", () => {
  it("is adopted, marked as adopted, and kept when its object is deleted, with a crash at every call", async () => {
    await withEveryCrash(async (fault) => {
      const scenario = new Scenario(fault);
      scenario.platform.set("identities", handMade);
      scenario.kube.apply(ci);
      await scenario.until("adopted", () => reasonOf(scenario, ci) === "Available");
      expect(statusOf(scenario, ci)).toMatchObject({ uid, management: "Adopted" });
      expect(find(scenario)).toMatchObject({ claimMatch });
      expect(saysAdopted(find(scenario)?.description ?? "")).toBe(true);
      scenario.kube.remove(ci);
      await scenario.until("released", () => scenario.kube.objects().length === 0);
      expect(find(scenario)?.description).toBe("by hand");
      expect(scenario.platform.created()).toHaveLength(1);
      return scenario;
    });
  });

  it("is not adopted while it holds a role that the Tenant does not permit, or holds one elsewhere", async () => {
    for (const role of [owner, "f".repeat(40)]) {
      const scenario = new Scenario();
      scenario.platform.set("identities", handMade);
      const binding = { uid: `${root}/dddddddddddddddd`, identity: { uid, name: "" }, role: { uid: role, name: "" } };
      scenario.platform.set("roleBindings", binding);
      scenario.kube.apply(ci);
      await scenario.until("denied", () => reasonOf(scenario, ci) === "TenantDenied");
      expect(find(scenario)).toEqual(handMade);
      scenario.kube.remove(ci);
      await scenario.until("deleted", () => scenario.kube.objects().length === 0);
      expect(find(scenario)).toEqual(handMade);
    }
  });

  it("is left unchanged if it carries the marker of another owner, whose hash the message names", async () => {
    const scenario = new Scenario();
    const foreign = { ...handMade, description: withMarker("", "0123abcd-0123456789abcdef", true) };
    scenario.platform.set("identities", foreign);
    scenario.kube.apply(ci);
    await scenario.until("a Conflict", () => reasonOf(scenario, ci) === "Conflict");
    expect(JSON.stringify(statusOf(scenario, ci))).toContain("0123abcd");
    expect(find(scenario)).toEqual(foreign);
  });
});

describe("D9: a resource with our marker below another group", () => {
  it("is not taken over: another one is created below the group that the spec names", async () => {
    const scenario = new Scenario();
    const spec = { groupUid: root, claimMatch, policy };
    scenario.kube.apply({ ...ci, spec });
    await scenario.until("created", () => reasonOf(scenario, ci) === "Available");
    const created = statusOf(scenario, ci)?.uid ?? "";
    const moved = { ...find(scenario, created), uid: `${root}/dddddddddddddddd/eeeeeeeeeeeeeeee` };
    const rebuilt = new Scenario();
    rebuilt.platform.set("identities", moved);
    rebuilt.kube.apply({ ...ci, spec });
    await rebuilt.until("created", () => reasonOf(rebuilt, ci) === "Available");
    expect(statusOf(rebuilt, ci)).toMatchObject({ parentUid: root, management: "Created" });
    expect(rebuilt.platform.created()).toHaveLength(2);
  });
});

describe("a role binding that expires", () => {
  const until = (scenario: Scenario, ms: number) => ({
    ...audits,
    spec: { ...audits.spec, expiresAt: new Date(scenario.clock.now() + ms).toISOString() },
  });

  it("is deleted then, and granted again later, with a crash at every call", async () => {
    await withEveryCrash(async (fault) => {
      const scenario = new Scenario(fault);
      scenario.kube.apply(until(scenario, 120_000));
      await scenario.until("granted", () => reasonOf(scenario, audits) === "Available");
      await scenario.pass(120_000);
      await scenario.until("ended", () => reasonOf(scenario, audits) === "Expired");
      await scenario.until("deleted", () => statusOf(scenario, audits)?.uid === undefined);
      expect(scenario.platform.created()).toEqual([]);
      scenario.kube.apply(until(scenario, 3_600_000));
      await scenario.until("granted again", () => reasonOf(scenario, audits) === "Available");
      expect(scenario.platform.created()).toHaveLength(1);
      return scenario;
    });
  });

  it("is deleted although it was adopted", async () => {
    // It expires before the requests of an earlier leader would be settled.
    const scenario = new Scenario({ admission: false });
    const equal = { uid, identity: { uid: auditor, name: "" }, role: { uid: viewer, name: "viewer" } };
    scenario.platform.set("roleBindings", equal);
    scenario.kube.apply(until(scenario, 10_000));
    await scenario.until("taken over", () => reasonOf(scenario, audits) === "Available");
    expect(statusOf(scenario, audits)).toMatchObject({ uid, management: "Adopted", identityUid: auditor });
    await scenario.until("ended", () => statusOf(scenario, audits)?.uid === undefined);
    expect(scenario.platform.created()).toEqual([]);
  });
});

describe("an object that only observes", () => {
  it("follows a resource by its name, and never writes to the platform", async () => {
    const scenario = new Scenario();
    scenario.platform.set("identities", handMade);
    const observing = { ...ci, spec: { groupUid: root, policy: { ...policy, management: "Observe" } } };
    scenario.kube.apply(observing);
    await scenario.until("found", () => reasonOf(scenario, ci) === "Available");
    expect(statusOf(scenario, ci)).toMatchObject({ uid, management: "Observed" });
    expect(scenario.kube.find("Identity", "ci")?.metadata.finalizers ?? []).toEqual([]);
    scenario.platform.remove("identities", uid);
    await scenario.resync();
    await scenario.until("gone", () => reasonOf(scenario, ci) === "ExternalGone");
    expect(statusOf(scenario, ci)?.uid).toBeUndefined();
    expect(scenario.platform.writes).toBe(0);
  });

  it("leaves Full without deleting anything, and comes back by adoption", async () => {
    const scenario = new Scenario();
    const full = { ...ci, spec: { groupUid: root, claimMatch, policy } };
    scenario.kube.apply(full);
    await scenario.until("created", () => reasonOf(scenario, ci) === "Available");
    const created = statusOf(scenario, ci)?.uid ?? "";
    scenario.kube.apply({ ...full, spec: { ...full.spec, policy: { ...policy, management: "Observe" } } });
    await scenario.until("observed", () => statusOf(scenario, ci)?.management === "Observed");
    expect(find(scenario, created)?.description).toBe("");
    expect(scenario.kube.find("Identity", "ci")?.metadata.finalizers ?? []).toEqual([]);
    scenario.kube.apply(full);
    await scenario.until("adopted", () => statusOf(scenario, ci)?.management === "Adopted");
    await scenario.until("Ready", () => reasonOf(scenario, ci) === "Available");
    expect(saysAdopted(find(scenario, created)?.description ?? "")).toBe(true);
  });
});
