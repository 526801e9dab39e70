import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { Manifest } from "./memory-kube.ts";
import { rejection, root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

// What it costs to read resources just before they are changed or deleted.

const policy = { management: "Full", drift: "Correct", adoption: "Never" };
const robot = (number: number, spec: object = {}): Manifest => ({
  kind: "Identity",
  name: `robot-${number}`,
  spec: { groupUid: root, claimMatch: { issuer: "https://issuer.example", subject: `${number}` }, policy, ...spec },
});
const count = 300;
const many = Array.from({ length: count }, (_, number) => robot(number));

const isReady = ({ kube }: Scenario, { kind, name }: Manifest) => {
  const object = kube.find(kind, name);
  const { conditions = [] } = (object?.status ?? {}) as Status;
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready?.status === "True" && ready.observedGeneration === object?.metadata.generation;
};

/** Everything is Ready and at rest. */
async function atRest(...manifests: readonly Manifest[]) {
  const scenario = new Scenario();
  for (const manifest of manifests) scenario.kube.apply(manifest);
  const ready = () => manifests.every((one) => isReady(scenario, one));
  await scenario.until("Ready", ready);
  await scenario.pass(60_000);
  const calls: Record<string, number> = {};
  scenario.platform.fault = (call) => {
    calls[call] = (calls[call] ?? 0) + 1;
    return undefined;
  };
  return {
    scenario,
    calls,
    ready: () => scenario.until("Ready again", ready),
    empty: () => scenario.until("gone", () => scenario.kube.objects().length === 0),
  };
}

describe("one by one", () => {
  it("an edit takes one read and one write, and an object at rest nothing", async () => {
    const { scenario, calls, ready } = await atRest(robot(1));
    scenario.process.reconcileAll();
    await scenario.pass(60_000);
    expect(calls).toEqual({});
    scenario.kube.apply(robot(1, { description: "changed" }));
    await ready();
    expect(calls).toEqual({ "get identities": 1, "update identities": 1 });
  });

  it("a rename takes one list of the name, one read and one write", async () => {
    const { calls, scenario, ready } = await atRest(robot(1));
    scenario.kube.apply(robot(1, { name: "renamed" }));
    await ready();
    expect(calls).toEqual({ "list identities": 1, "get identities": 1, "update identities": 1 });
  });

  it("a creation takes one list of the name and one write, in a group that is older than the settle time", async () => {
    const { calls, scenario } = await atRest(robot(1));
    scenario.kube.apply(robot(2));
    await scenario.until("Ready", () => isReady(scenario, robot(2)));
    expect(calls).toEqual({ "list identities": 1, "create identities": 1 });
  });

  it("edits of one object in a row take one read", async () => {
    const { scenario, calls, ready } = await atRest(robot(1));
    for (let edit = 0; edit < 20; edit += 1) {
      scenario.kube.apply(robot(1, { description: `edit ${edit}` }));
      await ready();
      await scenario.pass(1_000);
    }
    expect(calls).toEqual({ "get identities": 1, "update identities": 20 });
    await scenario.pass(60_000);
    scenario.kube.apply(robot(1, { description: "after a quiet time" }));
    await ready();
    expect(calls).toEqual({ "get identities": 2, "update identities": 21 });
  });

  it("a deletion takes one read and one write", async () => {
    const { scenario, calls, empty } = await atRest(robot(1));
    scenario.kube.remove(robot(1));
    await empty();
    expect(calls).toEqual({ "get identities": 1, "delete identities": 1 });
  });

  it("an expiry takes one read and one write", async () => {
    const expiresAt = new Date(new ManualClock().now() + 300_000).toISOString().replace(/\.\d+Z$/, "Z");
    const grant: Manifest = {
      kind: "RoleBinding",
      name: "grant",
      spec: {
        groupUid: root,
        identityRef: { name: "robot-1" },
        roleRef: { name: "viewer" },
        policy: { management: "Full", drift: "Correct" },
        expiresAt,
      },
    };
    const { scenario, calls } = await atRest(robot(1), grant);
    await scenario.until("expired", () => scenario.platform.createdIn("roleBindings").length === 0);
    expect(calls).toEqual({ "get roleBindings": 1, "delete roleBindings": 1 });
  });

  it.each<[what: string, write: "create" | "update" | "delete", change: (given: Scenario) => void]>([
    ["a creation", "create", ({ kube }) => kube.apply(robot(2))],
    ["an edit", "update", ({ kube }) => kube.apply(robot(1, { description: "changed" }))],
    ["an edit of who may assume it", "update", ({ kube }) => kube.apply({ ...robot(1), spec: robot(2).spec })],
    ["a deletion", "delete", ({ kube }) => kube.remove(robot(1))],
  ])("%s that the platform rejects takes no call until it is tried again", async (_, write, change) => {
    const { scenario, calls } = await atRest(robot(1));
    const { fault } = scenario.platform;
    scenario.platform.fault = (call) => {
      fault?.(call);
      if (call === `${write} identities`) throw rejection(call, "INVALID_ARGUMENT");
      return undefined;
    };
    change(scenario);
    await scenario.pass(30_000);
    const first = { ...calls };
    expect(first).toMatchObject({ [`${write} identities`]: 1 });
    for (let minute = 0; minute < 10; minute += 1) {
      scenario.process.reconcileAll();
      await scenario.pass(60_000);
    }
    expect(calls).toEqual(first);
  });

  it("a correction of what a list has just shown takes no read", async () => {
    const { scenario, calls } = await atRest(robot(1));
    const [resource] = scenario.platform.createdIn("identities");
    scenario.platform.set("identities", { uid: "", ...resource, name: "changed" });
    await scenario.resync();
    await scenario.pass(1_000);
    expect(scenario.platform.createdIn("identities")).toEqual([resource]);
    expect([calls["get identities"], calls["update identities"]]).toEqual([undefined, 1]);
  });
});

describe(`${count} objects at once`, () => {
  it("are edited after a handful of reads", async () => {
    const { scenario, calls, ready } = await atRest(...many);
    for (let number = 0; number < count; number += 1) scenario.kube.apply(robot(number, { description: "changed" }));
    await ready();
    console.info(JSON.stringify(calls));
    const { "get identities": gets = 0, "list identities": lists = 0, ...writes } = calls;
    expect(writes).toEqual({ "update identities": count });
    expect(gets + lists).toBeLessThan(15);
  });

  it("are created after a handful of lists", async () => {
    const { scenario, calls } = await atRest(robot(-1));
    for (const one of many) scenario.kube.apply(one);
    await scenario.until("Ready", () => many.every((one) => isReady(scenario, one)));
    console.info(JSON.stringify(calls));
    const { "list identities": lists = 0, ...writes } = calls;
    expect(writes).toEqual({ "create identities": count });
    expect(lists).toBeLessThan(15);
  });

  it("are deleted after a handful of reads", async () => {
    const { scenario, calls, empty } = await atRest(...many);
    for (const one of many) scenario.kube.remove(one);
    await empty();
    console.info(JSON.stringify(calls));
    const { "get identities": gets = 0, "list identities": lists = 0, ...writes } = calls;
    expect(writes).toEqual({ "delete identities": count });
    expect(gets + lists).toBeLessThan(15);
  });

  it("are deleted with their parents after a handful of reads of each kind", async () => {
    const groups = Array.from(
      { length: 60 },
      (_, number): Manifest => ({
        kind: "Group",
        name: `group-${number}`,
        spec: {
          ...(number === 0 ? { parentUid: root } : { parentRef: { name: `group-${Math.floor((number - 1) / 2)}` } }),
          undeclared: "Report",
          policy,
        },
      }),
    );
    const members = groups.flatMap(({ name }, number): Manifest[] => {
      const { groupUid: _, ...spec } = robot(number).spec as { readonly groupUid: string };
      return [0, 1, 2, 3].map((member) => ({
        kind: "Identity",
        name: `${name}-${member}`,
        spec: { ...spec, groupRef: { name } },
      }));
    });
    const { scenario, calls, empty } = await atRest(...groups, ...members);
    for (const one of [...groups, ...members]) scenario.kube.remove(one);
    await empty();
    console.info(JSON.stringify(calls));
    const { "delete identities": identities, "delete groups": deleted, ...reads } = calls;
    expect([identities, deleted]).toEqual([members.length, groups.length]);
    expect(Object.values(reads).reduce((sum, one) => sum + one, 0)).toBeLessThan((groups.length + members.length) / 10);
  });
});

describe("a stream", () => {
  it.each([10, 50, 100])("of deletions, %i a second, takes few reads", async (perSecond) => {
    const { scenario, calls, empty } = await atRest(...many);
    for (const one of many) {
      scenario.kube.remove(one);
      await scenario.pass(1_000 / perSecond);
    }
    await empty();
    const { "get identities": gets = 0, "list identities": lists = 0, ...writes } = calls;
    expect(writes).toEqual({ "delete identities": count });
    console.info(`${perSecond} a second: ${(gets + lists) / count} reads for a deletion`);
    expect(gets + lists).toBeLessThan(count / 3);
  });
});
