import { describe, expect, it } from "vitest";
import { carriedMarker } from "#src/kinds/marker.ts";
import type { Manifest } from "./memory-kube.ts";
import { root } from "./memory-platform.ts";
import { ci, policy, shop, startWorld } from "./undeclared-world.ts";

// Somebody creates a resource by hand after the operator has listed its group; then an object is applied that wants its name.

const claimMatch = { issuer: "https://issuer.example", subject: "robot" };
const robot = (adoption: string): Manifest => ({
  kind: "Identity",
  name: "robot",
  spec: { groupRef: { name: "shop" }, claimMatch, policy: { ...policy, adoption } },
});
const team = (adoption: string, parent: object): Manifest => ({
  kind: "Group",
  name: "team",
  spec: { ...parent, undeclared: "Report", policy: { ...policy, adoption } },
});
type World = Awaited<ReturnType<typeof startWorld>>;

const reasonOf = ({ kube }: World, { kind, name }: Manifest) => {
  const { conditions } = (kube.find(kind, name)?.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly reason: string }[];
  };
  return conditions?.find(({ type }) => type === "Ready")?.reason;
};

/** A group that is older than the settle time, and was listed. */
async function listedAWhileAgo(undeclared: "Report" | "Remove"): Promise<World> {
  const world = await startWorld(undeclared, { boundary: { undeclared: "Remove" } });
  await world.scenario.pass(60_000);
  await world.resync();
  await world.scenario.pass(60_000);
  return world;
}

describe.each(["Report", "Remove"] as const)("with undeclared: %s, a name made by hand after the last list", (mode) => {
  it.each([0, 1_000, 240_000])("is a Conflict for an object that says Never, %i ms later", async (laterMs) => {
    const world = await listedAWhileAgo(mode);
    const byHand = world.stranger({ name: "robot" });
    await world.scenario.pass(laterMs);
    world.kube.apply(robot("Never"));
    await world.scenario.until("a Conflict", () => reasonOf(world, robot("Never")) === "Conflict");
    for (let count = 0; count < 4; count += 1) {
      await world.resync();
      await world.scenario.pass(600_000);
    }
    const named = world.platform.createdIn("identities").filter((one) => (one as { name?: string }).name === "robot");
    expect(named.map(({ uid }) => uid)).toEqual([byHand]);
    expect(carriedMarker(named[0] ?? {})).toBeUndefined();
  });

  it("is adopted by an object that says IfExists", async () => {
    const world = await listedAWhileAgo(mode);
    const byHand = world.stranger({ name: "robot" });
    world.kube.apply(robot("IfExists"));
    await world.scenario.until("Ready", () => reasonOf(world, robot("IfExists")) === "Available");
    await world.resync(3);
    const named = world.platform.createdIn("identities").filter((one) => (one as { name?: string }).name === "robot");
    expect(named.map(({ uid }) => uid)).toEqual([byHand]);
  });

  it("is a Conflict where many objects are created at once", async () => {
    const world = await listedAWhileAgo(mode);
    const byHand = [3, 4, 11].map((number) => world.stranger({ name: `robot-${number}` }));
    const many = Array.from({ length: 20 }, (_, number) => ({ ...robot("Never"), name: `robot-${number}` }));
    const before = world.platform.calls;
    for (const one of many) world.kube.apply(one);
    await world.scenario.until("all are reported", () => many.every((one) => reasonOf(world, one) !== undefined));
    expect(many.filter((one) => reasonOf(world, one) === "Conflict").map(({ name }) => name)).toEqual([
      "robot-3",
      "robot-4",
      "robot-11",
    ]);
    await world.resync(3);
    expect(world.existing(...byHand)).toEqual(byHand);
    // Pages have three resources here. One list serves all, and those in Conflict ask for a proven one.
    console.info(`${world.platform.calls - before} calls for 17 creations and 3 Conflicts`);
  });
});

it.each([
  ["the root", { parentUid: root }],
  ["a group of an object", { parentRef: { name: "shop" } }],
])("a group made by hand after the last list of %s is a Conflict", async (_, parent) => {
  const world = await listedAWhileAgo("Report");
  const group = "parentUid" in parent ? root : world.group;
  world.platform.set("groups", { uid: `${group}/eeeeeeeeeeeeeeee`, name: "team", description: "by hand" });
  world.kube.apply(team("Never", parent));
  await world.scenario.until("a Conflict", () => reasonOf(world, team("Never", parent)) === "Conflict");
  expect(world.platform.createdIn("groups")).toHaveLength(2);
});

it("a name made by hand after the last list is not given to a resource that is renamed", async () => {
  const world = await listedAWhileAgo("Report");
  world.kube.apply(robot("Never"));
  await world.scenario.until("Ready", () => reasonOf(world, robot("Never")) === "Available");
  await world.scenario.pass(60_000);
  const byHand = world.stranger({ name: "other" });
  const renamed = { ...robot("Never"), spec: { ...robot("Never").spec, name: "other" } };
  world.kube.apply(renamed);
  await world.scenario.until("a Conflict", () => reasonOf(world, renamed) === "Conflict");
  world.platform.remove("identities", byHand);
  await world.resync();
  await world.scenario.until("renamed", () => reasonOf(world, renamed) === "Available");
});

it("an object whose name was edited before it had a resource does not create a second one of the new name", async () => {
  const world = await listedAWhileAgo("Report");
  world.stranger({ name: "robot" });
  world.kube.apply(robot("Never"));
  await world.scenario.until("a Conflict", () => reasonOf(world, robot("Never")) === "Conflict");
  await world.scenario.pass(60_000);
  world.stranger({ name: "other" });
  const renamed = robot("Never");
  world.kube.apply({ ...renamed, spec: { ...renamed.spec, name: "other" } });
  await world.scenario.pass(60_000);
  expect(reasonOf(world, renamed)).toBe("Conflict");
  expect(world.platform.createdIn("identities")).toHaveLength(3);
});

it("an object that waited for longer than a list is current does not create a second resource of its name", async () => {
  const world = await listedAWhileAgo("Report");
  world.platform.fault = (call) =>
    call === "create identities"
      ? {
          kind: "rejected",
          error: {
            code: "PERMISSION_DENIED",
            message: "no",
            reason: "",
            domain: "",
            fieldViolations: [],
            preconditionViolations: [],
          },
        }
      : undefined;
  world.kube.apply(robot("Never"));
  await world.scenario.pass(120_000);
  world.stranger({ name: "robot" });
  world.platform.fault = () => undefined;
  world.kube.annotate("Identity", "robot", { "iam.muster.dev/reconcile-requested-at": "now" });
  await world.scenario.until("a Conflict", () => reasonOf(world, robot("Never")) === "Conflict");
  expect(world.platform.createdIn("identities")).toHaveLength(2);
});

it("a group that this process has just created needs no list for what is created in it", async () => {
  const world = await startWorld("Report");
  const before = world.platform.calls;
  world.kube.apply({ ...ci, name: "next", spec: { ...ci.spec } });
  await world.scenario.until("Ready", () => reasonOf(world, { ...ci, name: "next" }) === "Available");
  expect(world.platform.calls - before).toBe(1);
  expect(shop().name).toBe("shop");
});
