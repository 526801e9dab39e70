import { describe, expect, it } from "vitest";
import type { ReadApi } from "#src/platform-client/api.ts";
import { type CodeName, PlatformFailure } from "#src/platform-client/failure.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { repeatedReads } from "./repeated-reads.ts";
import { groups } from "./resource-types.ts";

const signal = new AbortController().signal;

function refusal(code: CodeName, retryAfterMs?: number): PlatformFailure {
  const error = { code, message: "m", reason: "", domain: "", fieldViolations: [], preconditionViolations: [] };
  return new PlatformFailure("list groups", {
    kind: "rejected",
    error,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** A platform that fails first. @returns its calls, and the result of a list through `repeatedReads` */
async function list(clock: ManualClock, failures: readonly Error[]) {
  let calls = 0;
  const api = {
    list: async () => {
      const failure = failures[calls];
      calls += 1;
      if (failure !== undefined) throw failure;
      return { resources: [], totalCount: 0 };
    },
  } as unknown as ReadApi;
  const result = repeatedReads(api, clock)
    .list(groups, {}, signal)
    .catch((error: unknown) => error);
  let endedAt = 0;
  const ended = result.then((value) => {
    endedAt = clock.monotonic();
    return value;
  });
  for (let second = 0; second < 40; second += 1) await clock.advance(1_000);
  return { calls, result: await ended, endedAt };
}

describe("a read", () => {
  it("is repeated when the platform asks for it", async () => {
    const { calls, endedAt, result } = await list(new ManualClock(), [
      refusal("RESOURCE_EXHAUSTED", 5_000),
      refusal("UNAVAILABLE"),
    ]);
    expect(result).toEqual({ resources: [], totalCount: 0 });
    expect(calls).toBe(3);
    expect(endedAt).toBe(6_000);
  });

  it.each([
    ["a refusal that lasts", refusal("PERMISSION_DENIED"), 1],
    ["a pause of more than 30 s", refusal("RESOURCE_EXHAUSTED", 31_000), 1],
    ["no response", new PlatformFailure("list groups", { kind: "noResponse", message: "m" }), 1],
    ["the sixth refusal", refusal("UNAVAILABLE"), 6],
  ])("fails after %s", async (_, failure, calls) => {
    expect(await list(new ManualClock(), Array<Error>(10).fill(failure))).toMatchObject({ calls, result: failure });
  });
});
