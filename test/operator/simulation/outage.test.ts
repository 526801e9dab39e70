import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import type { PlatformProblem } from "#src/platform-client/failure.ts";
import type { Manifest } from "./memory-kube.ts";
import { type MemoryPlatform, root } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const group = (name: string, spec: object = { parentUid: root }): Manifest => ({
  kind: "Group",
  name,
  spec: { ...spec, policy },
});
const error = { message: "down", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
const unreachable: PlatformProblem = { kind: "noResponse", message: "connection refused" };
const unavailable: PlatformProblem = { kind: "rejected", error: { ...error, code: "UNAVAILABLE" } };
const rejectedToken: PlatformProblem = { kind: "rejected", error: { ...error, code: "UNAUTHENTICATED" } };
const notJson: PlatformProblem = { kind: "noResponse", message: "the body of the HTTP 200 response is not JSON" };
/** The workers of an operator in a simulation. */
const workers = 4;

/** The condition Ready of an object. */
function readyOf({ kube }: Scenario, name: string) {
  const status = kube.find("Group", name)?.status as Status | undefined;
  return status?.conditions?.find(({ type }) => type === "Ready");
}

/** The milliseconds until `reached`, and at most until `maxMs` have passed. */
async function timeUntil({ clock }: Scenario, reached: () => boolean, maxMs: number): Promise<number> {
  const start = clock.monotonic();
  while (!reached() && clock.monotonic() < start + maxMs) await clock.advance(100);
  return clock.monotonic() - start;
}

/** Lets every creation of a group fail from now on. @returns how many there were */
function failCreations(platform: MemoryPlatform, problem: PlatformProblem): () => number {
  let posts = 0;
  platform.fault = (call) => {
    if (call !== "create groups") return undefined;
    posts += 1;
    return problem;
  };
  return () => posts;
}

describe("an outage of the platform", () => {
  it.each([
    ["10 s", 10],
    ["150 s", 150],
    ["an hour", 3_600],
  ])("of %s is met by probes only, and heals within 5 s of its end", async (_, outageSeconds) => {
    const scenario = new Scenario();
    const { kube, platform } = scenario;
    const first = group("first");
    kube.apply(first);
    await scenario.until("the first group", () => scenario.differences([first]).length === 0);
    const versionBefore = kube.find("Group", "first")?.metadata.resourceVersion;

    const phases = [unreachable, unavailable, notJson];
    platform.fault = () => phases[0];
    const waiting = Array.from({ length: 200 }, (__, index) => group(`waiting-${index}`));
    for (const manifest of waiting) kube.apply(manifest);
    await scenario.pass(5_000);
    const callsBefore = platform.calls;
    const reasons = waiting.map(({ name }) => readyOf(scenario, name)?.reason ?? "");
    // A few sent a POST before the outage was known, and wait until it cannot take effect any longer.
    expect(reasons.filter((reason) => reason === "Creating").length).toBeLessThanOrEqual(2 * workers);
    expect(reasons.filter((reason) => reason !== "Creating" && reason !== "PlatformUnavailable")).toEqual([]);
    expect(callsBefore).toBeLessThan(30);
    for (const phase of phases) {
      platform.fault = () => phase;
      await scenario.pass((outageSeconds * 1_000) / phases.length);
    }
    expect(platform.calls - callsBefore).toBeLessThanOrEqual(outageSeconds);
    // A Ready object keeps its status.
    expect(kube.find("Group", "first")?.metadata.resourceVersion).toBe(versionBefore);

    platform.fault = () => undefined;
    platform.mostInFlight = 0;
    const healed = () => waiting.every(({ name }) => readyOf(scenario, name)?.status === "True");
    expect(await timeUntil(scenario, healed, 60_000)).toBeLessThanOrEqual(5_000);
    expect(scenario.differences([first, ...waiting])).toEqual([]);
    expect(platform.mostInFlight).toBeLessThanOrEqual(workers);
    expect(scenario.process.failures).toEqual([]);
  });

  it("that starts at any call of a creation leaves one resource for each object", async () => {
    const tree = [group("parent"), group("child", { parentRef: { name: "parent" } }), group("sibling")];
    let outages = 0;
    for (let startsAt = 1; startsAt <= 12; startsAt += 1)
      for (const problem of [unreachable, unavailable]) {
        const scenario = new Scenario();
        const { kube, platform } = scenario;
        let until = Number.POSITIVE_INFINITY;
        platform.fault = () => {
          if (platform.calls < startsAt) return undefined;
          if (until === Number.POSITIVE_INFINITY) {
            until = scenario.clock.monotonic() + 40_000;
            outages += 1;
          }
          return scenario.clock.monotonic() < until ? problem : undefined;
        };
        for (const manifest of tree) kube.apply(manifest);
        await scenario.pass(50_000);
        await scenario.until("created", () => scenario.differences(tree).length === 0);
      }
    console.info(`${outages} outages`);
    expect(outages).toBeGreaterThanOrEqual(10);
  });
});

describe("an outage of creations only, while reads work", () => {
  it.each([
    // A POST may still take effect for 15 s after it failed.
    ["of the platform", unavailable, 1_000, 5_000 + 15_000],
    ["of the token", rejectedToken, 30_000, 61_000],
  ])(
    "%s is met by one trial at a time, and ends for all objects with the first success",
    async (_, problem, trialMs, healMs) => {
      const scenario = new Scenario();
      const { kube, platform } = scenario;
      const posts = failCreations(platform, problem);
      const waiting = Array.from({ length: 100 }, (__, index) => group(`waiting-${index}`));
      for (const manifest of waiting) kube.apply(manifest);
      await scenario.pass(10_000);
      const reasons = new Set(waiting.map(({ name }) => readyOf(scenario, name)?.reason));
      console.info(`${posts()} POSTs in 10 s; ${[...reasons].join(", ")}`);
      // Each worker may have sent one before the outage was known, and one was a trial that decided it.
      expect(posts()).toBeLessThanOrEqual(2 * workers + 10_000 / trialMs);
      expect(reasons).not.toContain(undefined);
      const before = posts();
      await scenario.pass(600_000);
      expect(posts() - before).toBeLessThanOrEqual(600_000 / trialMs + 1);
      expect(posts() - before).toBeGreaterThan(5);

      platform.fault = () => undefined;
      const healed = () => waiting.every(({ name }) => readyOf(scenario, name)?.status === "True");
      const healedAfter = await timeUntil(scenario, healed, 600_000);
      console.info(`healed after ${healedAfter} ms`);
      expect(healedAfter).toBeLessThanOrEqual(healMs);
      expect(scenario.differences(waiting)).toEqual([]);
      expect(scenario.process.failures).toEqual([]);
    },
  );

  it.each([
    // A POST from before the pause may still take effect for 15 s.
    [10, 15_000 - 10_000 + 2_000],
    [45, 2_000],
  ])("ends soon after a pause of %i s that the platform asked for meanwhile", async (pauseSeconds, healMs) => {
    const scenario = new Scenario();
    const { kube, platform } = scenario;
    failCreations(platform, unavailable);
    const waiting = Array.from({ length: 20 }, (_, index) => group(`waiting-${index}`));
    for (const manifest of waiting) kube.apply(manifest);
    await scenario.pass(300_000);
    let asked = 0;
    platform.fault = (call) => {
      if (!call.startsWith("list") || (asked += 1) > 1) return undefined;
      return { kind: "rejected", error: { ...error, code: "RESOURCE_EXHAUSTED" }, retryAfterMs: pauseSeconds * 1_000 };
    };
    const resync = scenario.process.resync();
    await scenario.pass(pauseSeconds * 1_000);
    await resync;
    expect(asked).toBeGreaterThanOrEqual(1);
    const healed = () => waiting.every(({ name }) => readyOf(scenario, name)?.status === "True");
    expect(await timeUntil(scenario, healed, 120_000)).toBeLessThanOrEqual(healMs);
    expect(scenario.differences(waiting)).toEqual([]);
  });

  it("does not delay what can be written: the edit of another object is the trial", async () => {
    const scenario = new Scenario();
    const { kube, platform } = scenario;
    const ready = group("ready");
    kube.apply(ready);
    await scenario.until("Ready", () => readyOf(scenario, "ready")?.status === "True");
    platform.fault = (call) => (call === "create groups" ? rejectedToken : undefined);
    for (let index = 0; index < 5; index += 1) kube.apply(group(`waiting-${index}`));
    await scenario.pass(300_000);
    const edited = group("ready", { parentUid: root, description: "edited" });
    kube.apply(edited);
    // The edit is the trial.
    await scenario.until("the edit", () => scenario.differences([edited]).length === 0);
  });
});

it("an object whose own call always fails keeps its backoff, and wakes no other", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  const internal: PlatformProblem = { kind: "rejected", error: { ...error, code: "INTERNAL" } };
  const posts = failCreations(platform, internal);
  kube.apply(group("broken"));
  await scenario.pass(1_800_000);
  // Doubling from 250 ms to 5 min, with half of each delay at random, and the settle time between two POSTs.
  console.info(`${posts()} POSTs in 30 min`);
  expect(posts()).toBeGreaterThan(5);
  expect(posts()).toBeLessThan(40);
  expect([...scenario.process.sources.tenancy.contexts].map(({ session }) => session.recoveries)).toEqual([0]);
});

it("a call that is rejected under each new token is not repeated at once because of the new token", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  let posts = 0;
  platform.fault = (call) => {
    if (call !== "create groups") return undefined;
    posts += 1;
    platform.credentialEpoch += 1;
    return { kind: "rejected", error: { ...error, code: "UNAUTHENTICATED" } };
  };
  kube.apply(group("rejected"));
  await scenario.pass(60_000);
  console.info(`${posts} POSTs in 60 s`);
  expect(posts).toBeLessThan(20);
  expect(readyOf(scenario, "rejected")?.reason).toBe("TokenUnavailable");
  expect(scenario.process.failures).toEqual([]);
});

it("an object that waits for a rejected token becomes Ready within a minute of its acceptance", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  const waiting = group("waiting");
  platform.fault = () => ({ kind: "rejected", error: { ...error, code: "UNAUTHENTICATED" } });
  kube.apply(waiting);
  await scenario.pass(600_000);
  console.info(`${platform.calls} calls in 10 min`);
  expect(platform.calls).toBeLessThan(40);
  expect(readyOf(scenario, "waiting")?.reason).toBe("TokenUnavailable");
  platform.fault = () => undefined;
  const healed = () => readyOf(scenario, "waiting")?.status === "True";
  expect(await timeUntil(scenario, healed, 120_000)).toBeLessThanOrEqual(61_000);
  expect(scenario.differences([waiting])).toEqual([]);
});

it("an object that exceeds a quota is retried hourly, and does not delay others", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  const quotaViolations = [{ subject: "groups", description: "at most 1" }];
  let posts = 0;
  platform.fault = (call) => {
    if (call !== "create groups" || (posts += 1) > 1) return undefined;
    return { kind: "rejected", error: { ...error, code: "RESOURCE_EXHAUSTED", quotaViolations }, retryAfterMs: 60_000 };
  };
  kube.apply(group("over"));
  await scenario.until("a status", () => readyOf(scenario, "over")?.reason === "QuotaExceeded");
  kube.apply(group("other"));
  expect(await timeUntil(scenario, () => readyOf(scenario, "other")?.status === "True", 60_000)).toBeLessThan(1_000);
  expect(readyOf(scenario, "over")?.message).toContain("groups: at most 1");
  await scenario.pass(3_500_000);
  expect(posts).toBe(2);
  await scenario.pass(200_000);
  expect(readyOf(scenario, "over")?.status).toBe("True");
});

it("a rate limit slows all objects down together", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  const limited: PlatformProblem = { kind: "rejected", error: { ...error, code: "RESOURCE_EXHAUSTED" } };
  platform.fault = () => limited;
  const waiting = Array.from({ length: 50 }, (_, index) => group(`waiting-${index}`));
  for (const manifest of waiting) kube.apply(manifest);
  await scenario.pass(120_000);
  console.info(`${platform.calls} calls in 2 min`);
  // A pause of 1, 2, 4, 8, 16, 32 and 60 s, and at most one call of each worker after each.
  expect(platform.calls).toBeLessThanOrEqual(10 * workers);
  platform.fault = () => undefined;
  const healed = () => waiting.every(({ name }) => readyOf(scenario, name)?.status === "True");
  expect(await timeUntil(scenario, healed, 300_000)).toBeLessThanOrEqual(120_000);
});

it("a child of a group that was deleted on the platform is created in the new group, without a resync", async () => {
  const scenario = new Scenario();
  const { kube, platform } = scenario;
  const parent = group("parent");
  const child = group("child", { parentRef: { name: "parent" } });
  kube.apply(parent);
  await scenario.until("the parent", () => scenario.differences([parent]).length === 0);
  await scenario.pass(120_000);
  const status = kube.find("Group", "parent")?.status as Status | undefined;
  platform.remove("groups", status?.uid ?? "");
  kube.apply(child);
  const healed = () => scenario.differences([parent, child]).length === 0;
  expect(await timeUntil(scenario, healed, 60_000)).toBeLessThanOrEqual(5_000);
});
