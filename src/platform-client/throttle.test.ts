import { describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { PlatformFailure, PlatformProblem } from "./failure.ts";
import { Throttle } from "./throttle.ts";

const error = { message: "", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
const exhausted: PlatformProblem = { kind: "rejected", error: { ...error, code: "RESOURCE_EXHAUSTED" } };
const overQuota: PlatformProblem = {
  kind: "rejected",
  error: { ...error, code: "RESOURCE_EXHAUSTED", quotaViolations: [] },
  retryAfterMs: 60_000,
};

function world() {
  const clock = new ManualClock();
  const throttle = new Throttle(clock, () => 0);
  const pauseMs = () => {
    try {
      throttle.requireNoPause("get groups");
      return 0;
    } catch (thrown) {
      const { problem } = thrown as PlatformFailure;
      return problem.kind === "paused" ? problem.retryAfterMs : Number.NaN;
    }
  };
  return { clock, throttle, pauseMs };
}

describe("Retry-After", () => {
  it.each<[string, PlatformProblem]>([
    ["of a rejection", { ...exhausted, retryAfterMs: 60_000 }],
    ["of a proxy", { kind: "noResponse", message: "HTTP 503", retryAfterMs: 60_000 }],
    ["of the token service", { kind: "credential", cause: "unavailable", message: "", retryAfterMs: 60_000 }],
  ])("%s pauses all calls, and a shorter one does not end the pause", async (_, problem) => {
    const { clock, throttle, pauseMs } = world();
    throttle.failed(problem, clock.monotonic());
    throttle.failed({ kind: "noResponse", message: "", retryAfterMs: 1_000 }, clock.monotonic());
    await clock.advance(20_000);
    expect(pauseMs()).toBe(40_000);
    await clock.advance(40_000);
    expect(pauseMs()).toBe(0);
  });
});

describe("RESOURCE_EXHAUSTED without Retry-After", () => {
  it("pauses all calls, twice as long each time, for a minute at most", async () => {
    const { clock, throttle, pauseMs } = world();
    const pauses: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      throttle.failed(exhausted, clock.monotonic());
      pauses.push(pauseMs() / 1_000);
      await clock.advance(pauseMs());
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it("counts calls that were sent together once", async () => {
    const { clock, throttle, pauseMs } = world();
    const sentAt = clock.monotonic();
    await clock.advance(100);
    for (let count = 0; count < 16; count += 1) throttle.failed(exhausted, sentAt);
    expect(pauseMs()).toBe(1_000);
  });

  it("starts with a second again after a success that followed the pause", async () => {
    const { clock, throttle, pauseMs } = world();
    for (let count = 0; count < 4; count += 1) {
      throttle.failed(exhausted, clock.monotonic());
      await clock.advance(pauseMs());
    }
    throttle.succeeded(clock.monotonic() - 1);
    throttle.failed(exhausted, clock.monotonic());
    expect(pauseMs()).toBe(16_000);
    await clock.advance(16_000);
    throttle.succeeded(clock.monotonic());
    throttle.failed(exhausted, clock.monotonic());
    expect(pauseMs()).toBe(1_000);
  });
});

it("an exceeded quota does not pause the calls of others", () => {
  const { clock, throttle, pauseMs } = world();
  throttle.failed(overQuota, clock.monotonic());
  expect(pauseMs()).toBe(0);
});
