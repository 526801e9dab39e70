import { describe, expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { untilConnected } from "./until-connected.ts";

const refused = new Error("the operator does not respond", {
  cause: Object.assign(new Error("connect ECONNREFUSED 10.96.0.7:8080"), { code: "ECONNREFUSED" }),
});

describe("untilConnected", () => {
  /** Attempts that fail, one after the other, and then succeed. */
  function attempts(failures: readonly Error[], signal = new AbortController().signal) {
    const clock = new ManualClock();
    let count = 0;
    const result = untilConnected(
      async () => {
        const failure = failures[count++];
        if (failure !== undefined) throw failure;
        return "connected";
      },
      { clock, signal },
    );
    result.catch(() => {});
    return { clock, result, count: () => count };
  }

  it("tries again while a NetworkPolicy does not know the pod yet", async () => {
    const { clock, result, count } = attempts([refused, refused, refused]);
    await clock.advance(1_500);
    expect(await result).toBe("connected");
    expect(count()).toBe(4);
  });

  it("gives up after 10 s, with the last failure", async () => {
    const { clock, result, count } = attempts(Array.from({ length: 100 }, () => refused));
    await clock.advance(10_000);
    await expect(result).rejects.toBe(refused);
    expect(count()).toBe(21);
  });

  it("tries nothing else again", async () => {
    const failure = new Error("the operator is not ready");
    const { result, count } = attempts([failure]);
    await expect(result).rejects.toBe(failure);
    expect(count()).toBe(1);
  });

  it("ends when the command is interrupted", async () => {
    const controller = new AbortController();
    const { clock, result } = attempts(
      Array.from({ length: 100 }, () => refused),
      controller.signal,
    );
    await clock.advance(700);
    controller.abort(new Error("interrupted"));
    await expect(result).rejects.toThrow("interrupted");
  });
});
