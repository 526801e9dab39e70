import { describe, expect, it } from "vitest";
import { ApiError } from "#src/platform/errors/api-error.ts";
import { RateLimit } from "./rate-limit.ts";

function setUp(perSecond: number) {
  const time = { now: 0 };
  const limit = new RateLimit(perSecond, () => time.now);
  /** The number of admitted calls. */
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
  it("admits a burst of one second's calls, then as many as time allows", () => {
    const { time, calls } = setUp(10);
    expect(calls(15)).toBe(10);
    time.now += 350;
    expect(calls(15)).toBe(3);
    time.now += 60_000;
    expect(calls(15)).toBe(10);
  });

  it("limits each identity separately", () => {
    const { calls } = setUp(2);
    expect(calls(5, "a")).toBe(2);
    expect(calls(5, "b")).toBe(2);
  });

  it("returns when to retry, also for less than one call per second", () => {
    const { time, limit, calls } = setUp(0.1);
    expect(calls(2)).toBe(1);
    expect(() => limit.admit("a")).toThrowError(
      expect.objectContaining({ code: 8, detail: { kind: "retry", seconds: 10 } }),
    );
    time.now += 10_000;
    expect(calls(2)).toBe(1);
  });

  it("ignores a clock that goes back", () => {
    const { time, calls } = setUp(2);
    time.now = 5_000;
    expect(calls(3)).toBe(2);
    time.now = 1_000;
    expect(calls(3)).toBe(0);
  });

  it("bounds the number of buckets and evicts those at their limit last", () => {
    const { time, calls } = setUp(1);
    expect(calls(1, "busy")).toBe(1);
    for (let n = 0; n < 9_999; n++) calls(1, `early ${n}`);
    time.now += 2_000;
    expect(calls(2, "busy")).toBe(1);
    for (let n = 0; n < 9_000; n++) calls(1, `late ${n}`);
    expect(calls(1, "busy")).toBe(0);
  });
});
