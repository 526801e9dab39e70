import { describe, expect, it } from "vitest";
import { ApiError } from "#src/platform/errors/api-error.ts";
import { RateLimit } from "./rate-limit.ts";

function setUp(perSecond: number) {
  const time = { now: 0 };
  const limit = new RateLimit(perSecond, () => time.now);
  /** How many of so many calls are let through. */
  const calls = (count: number, identity = "a") => {
    let admitted = 0;
    for (let call = 0; call < count; call++)
      try {
        limit.admit(identity);
        admitted++;
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    return admitted;
  };
  return { time, limit, calls };
}

describe("RateLimit", () => {
  it("lets a second's calls through at once, then as many as time gives", () => {
    const { time, calls } = setUp(10);
    expect(calls(15)).toBe(10);
    time.now += 350;
    expect(calls(15)).toBe(3);
    time.now += 60_000;
    expect(calls(15)).toBe(10);
  });

  it("counts each identity by itself", () => {
    const { calls } = setUp(2);
    expect(calls(5, "a")).toBe(2);
    expect(calls(5, "b")).toBe(2);
  });

  it("tells when to come back, also where less than one call a second is allowed", () => {
    const { time, limit, calls } = setUp(0.1);
    expect(calls(2)).toBe(1);
    expect(() => limit.admit("a")).toThrowError(
      expect.objectContaining({ code: 8, detail: { kind: "retry", seconds: 10 } }),
    );
    time.now += 10_000;
    expect(calls(2)).toBe(1);
  });

  it("a clock that goes back gives nothing and takes nothing", () => {
    const { time, calls } = setUp(2);
    time.now = 5_000;
    expect(calls(3)).toBe(2);
    time.now = 1_000;
    expect(calls(3)).toBe(0);
  });

  it("remembers no more identities than it may, and forgets none that is at its limit before those that are not", () => {
    const { time, calls } = setUp(1);
    expect(calls(1, "busy")).toBe(1);
    for (let n = 0; n < 9_999; n++) calls(1, `early ${n}`);
    time.now += 2_000;
    expect(calls(2, "busy")).toBe(1);
    for (let n = 0; n < 9_000; n++) calls(1, `late ${n}`);
    expect(calls(1, "busy")).toBe(0);
  });
});
