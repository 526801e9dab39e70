import { describe, expect, it } from "vitest";
import { ManualClock, settled } from "#src/time/manual-clock.testing.ts";
import { Suspension } from "./suspension.ts";
import { type CodeName, PlatformFailure, type PlatformProblem } from "./failure.ts";
import type { OutageClass } from "./outage.ts";

const lost: PlatformProblem = { kind: "noResponse", message: "connection refused" };
const refused: PlatformProblem = { kind: "credential", cause: "exchange", message: "refused" };
const rejected = (code: CodeName): PlatformProblem => ({
  kind: "rejected",
  error: { code, message: code, reason: "", domain: "", fieldViolations: [], preconditionViolations: [] },
});

interface Setup {
  readonly random?: number;
  readonly problem?: PlatformProblem | undefined;
  readonly probeIsExtra?: boolean;
}

/** A suspension whose probes have the result `platform.problem`. */
function world({ random = 0, problem = lost, probeIsExtra = true }: Setup = {}) {
  const clock = new ManualClock();
  const lifetime = new AbortController();
  const platform = { problem: problem as PlatformProblem | "silence" | undefined, probes: [] as number[] };
  const changes: (OutageClass | undefined)[] = [];
  const suspension = new Suspension({
    probe: async (signal) => {
      platform.probes.push(clock.monotonic());
      if (platform.problem === "silence")
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      else if (platform.problem !== undefined) throw new PlatformFailure("get groups", platform.problem);
    },
    probeIsExtra,
    clock,
    random: () => random,
    signal: lifetime.signal,
  });
  suspension.onChange((current) => changes.push(current?.class));
  const fail = async (problems: readonly PlatformProblem[]) => {
    for (const one of problems) suspension.failed(one);
    await clock.advance(0);
  };
  return { clock, lifetime, platform, changes, suspension, fail };
}

/** A world in an outage. */
async function outage(options: Setup = {}) {
  const given = world(options);
  const problem = options.problem ?? lost;
  await given.fail([problem, problem, problem]);
  expect(given.suspension.outage).toBeDefined();
  return given;
}

function problemOf(suspension: Suspension): PlatformProblem | undefined {
  try {
    suspension.requireNoOutage("get groups");
    return undefined;
  } catch (error) {
    return (error as PlatformFailure).problem;
  }
}

describe("while calls go", () => {
  it.each<[string, readonly PlatformProblem[], OutageClass]>([
    ["lost connections", [lost, lost, lost], "platform"],
    ["server errors", [rejected("INTERNAL"), lost, rejected("UNAVAILABLE")], "platform"],
    ["rejected tokens", Array.from({ length: 3 }, () => rejected("UNAUTHENTICATED")), "token"],
    ["refused exchanges", [refused, refused, refused], "exchange"],
    [
      "an unavailable token service",
      Array.from({ length: 3 }, () => ({ kind: "credential", cause: "unavailable", message: "" }) as const),
      "tokenService",
    ],
  ])("opens after three failures and a failed probe: %s", async (_, problems, outageClass) => {
    const { suspension, fail, changes, platform } = world({ problem: problems[0] });
    await fail(problems.slice(0, 2));
    expect([problemOf(suspension), platform.probes]).toEqual([undefined, []]);
    await fail(problems.slice(2));
    expect(suspension.outage).toMatchObject({ class: outageClass, problem: problems[0], since: 0 });
    expect(problemOf(suspension)).toEqual({ kind: "suspended", outage: problems[0] });
    expect(changes).toEqual([outageClass]);
  });

  it.each<[string, PlatformProblem]>([
    ["an invalid argument", rejected("INVALID_ARGUMENT")],
    ["a missing permission", rejected("PERMISSION_DENIED")],
    ["an exceeded rate or quota", rejected("RESOURCE_EXHAUSTED")],
    ["a competing change", rejected("ABORTED")],
  ])("stays closed after failures of the calls themselves: %s", async (_, problem) => {
    const { fail, platform } = world();
    await fail(Array.from({ length: 20 }, () => problem));
    expect(platform.probes).toEqual([]);
  });

  it("counts only consecutive failures of one class", async () => {
    const { fail, suspension, platform } = world();
    await fail([lost, lost, refused, refused, lost, lost]);
    suspension.succeeded();
    await fail([lost, lost, rejected("NOT_FOUND"), lost, lost]);
    expect(platform.probes).toEqual([]);
  });

  it("stays closed while the probe succeeds, whatever the failures of one object, and probes once a second at most", async () => {
    const { fail, suspension, clock, changes, platform } = world();
    platform.problem = undefined;
    for (let second = 0; second < 60; second += 1) {
      await fail(Array.from({ length: 10 }, () => rejected("INTERNAL")));
      expect(problemOf(suspension)).toBeUndefined();
      await clock.advance(1_000);
    }
    expect(changes).toEqual([]);
    expect(suspension.recoveries).toBe(0);
    expect(platform.probes.length).toBeLessThanOrEqual(61);
  });

  it("probes after every third failure if that costs no call", async () => {
    const { fail, suspension, platform } = world({ probeIsExtra: false });
    platform.problem = undefined;
    for (let count = 0; count < 3; count += 1) await fail([lost, lost, lost]);
    expect(platform.probes).toEqual([0, 0, 0]);
    platform.problem = lost;
    await fail([lost, lost, lost]);
    expect(problemOf(suspension)).toMatchObject({ kind: "suspended" });
  });

  it("has no timer", async () => {
    const { fail, clock, platform } = world();
    platform.problem = undefined;
    await fail([lost, lost, lost]);
    expect(platform.probes).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe("while calls are suspended", () => {
  it.each<[string, PlatformProblem, number, number]>([
    ["every second at the most often, after a lost connection", lost, 0, 1_000],
    ["every 2.5 s at the least often, after a lost connection", lost, 1, 2_500],
    ["every 30 s at the most often, after a refused exchange", refused, 0, 30_000],
    ["every 60 s at the least often, after a rejected token", rejected("UNAUTHENTICATED"), 1, 60_000],
  ])("probes %s", async (_, problem, random, intervalMs) => {
    const { platform, clock } = await outage({ problem, random });
    await clock.advance(intervalMs);
    expect(platform.probes).toEqual([0, intervalMs]);
  });

  it("waits for a longer pause that the platform asks for", async () => {
    const problem: PlatformProblem = { kind: "noResponse", message: "HTTP 503", retryAfterMs: 20_000 };
    const { platform, clock, fail } = world({ problem });
    await fail([problem, problem, problem]);
    await clock.advance(40_000);
    expect(platform.probes).toEqual([20_000, 40_000]);
  });

  it("closes at the first success of a probe", async () => {
    const { platform, clock, suspension, changes } = await outage();
    await clock.advance(5_500);
    platform.problem = undefined;
    await clock.advance(500);
    expect(problemOf(suspension)).toBeUndefined();
    expect(changes).toEqual(["platform", undefined]);
    expect(suspension.recoveries).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, PlatformProblem]>([
    ["that the probed group does not exist", rejected("NOT_FOUND")],
    ["that it may not be read", rejected("PERMISSION_DENIED")],
  ])("closes when the platform responds %s", async (_, problem) => {
    const { platform, clock, suspension } = await outage();
    platform.problem = problem;
    await clock.advance(1_000);
    expect(suspension.outage).toBeUndefined();
  });

  it.each([
    ["at its usual interval", 0, 1_000],
    ["when a longer pause is over", 20_000, 20_000],
  ])("stays open after a probe that was paused, and probes again %s", async (_, retryAfterMs, intervalMs) => {
    const { platform, clock, suspension } = await outage();
    platform.problem = { kind: "paused", retryAfterMs };
    await clock.advance(1_000);
    expect(suspension.outage).toMatchObject({ problem: lost });
    await clock.advance(intervalMs);
    expect(platform.probes).toEqual([0, 1_000, 1_000 + intervalMs]);
    platform.problem = undefined;
    await clock.advance(intervalMs);
    expect(suspension.outage).toBeUndefined();
  });

  it("ignores late results of calls that were sent before", async () => {
    const { suspension } = await outage();
    suspension.succeeded();
    suspension.failed(refused);
    expect(suspension.outage?.class).toBe("platform");
  });

  it("reports a change of the class, with the time at which the outage started", async () => {
    const { platform, clock, suspension, changes } = await outage();
    platform.problem = refused;
    await clock.advance(1_000);
    expect(suspension.outage).toMatchObject({ class: "exchange", problem: refused, since: 0 });
    expect(changes).toEqual(["platform", "exchange"]);
    expect(suspension.recoveries).toBe(0);
  });

  it("lets calls go when it is closed from outside", async () => {
    const { suspension, changes, clock } = await outage();
    suspension.end();
    expect(problemOf(suspension)).toBeUndefined();
    expect([changes, suspension.recoveries]).toEqual([["platform", undefined], 1]);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, (given: Awaited<ReturnType<typeof outage>>) => Promise<void> | void]>([
    [
      "a probe succeeded",
      async ({ platform, clock }) => {
        platform.problem = undefined;
        await clock.advance(30_000);
        platform.problem = lost;
      },
    ],
    ["it was ended from outside", ({ suspension }) => suspension.end()],
  ])("opens again after three failures and a failed probe as soon as %s, whatever the interval", async (_, end) => {
    const given = await outage({ problem: refused });
    await end(given);
    expect(problemOf(given.suspension)).toBeUndefined();
    await given.fail([lost, lost, lost]);
    expect(problemOf(given.suspension)).toMatchObject({ kind: "suspended" });
  });

  it("stops to probe two minutes after the last call, and probes again at the next one", async () => {
    const { platform, clock, suspension } = await outage();
    await clock.advance(600_000);
    expect(clock.pending).toBe(0);
    expect(platform.probes).toHaveLength(121);
    platform.problem = undefined;
    expect(problemOf(suspension)).toMatchObject({ kind: "suspended" });
    await clock.advance(0);
    expect(suspension.outage).toBeUndefined();
  });

  it("ends with its signal", async () => {
    const { platform, clock, suspension, lifetime } = await outage();
    lifetime.abort(new Error("stopping"));
    expect(clock.pending).toBe(0);
    expect(problemOf(suspension)).toMatchObject({ kind: "suspended" });
    await clock.advance(10_000);
    expect(platform.probes).toEqual([0]);
  });

  it("ends with its signal, during a probe", async () => {
    const { clock, lifetime, changes, fail, platform } = world();
    platform.problem = "silence";
    await fail([lost, lost, lost]);
    lifetime.abort(new Error("stopping"));
    await settled();
    expect(clock.pending).toBe(0);
    expect(changes).toEqual([]);
  });
});
