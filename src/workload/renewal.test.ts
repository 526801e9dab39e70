import { describe, expect, it } from "vitest";
import { renewAfterMs, retryAfterMs } from "./renewal.ts";

const earliest = () => 0;
const latest = () => 1 - Number.EPSILON;
const minute = 60_000;

describe("renewAfterMs", () => {
  it("renews an hour's token after 35 to 38.4 minutes", () => {
    expect(renewAfterMs(60 * minute, earliest) / minute).toBeCloseTo(34.8);
    expect(renewAfterMs(60 * minute, latest) / minute).toBeCloseTo(38.4);
  });

  it("waits at least a second, however short the life of a token is", () => {
    expect(renewAfterMs(10, earliest)).toBe(1_000);
  });
});

describe("retryAfterMs", () => {
  const failed = { failures: 1, refused: false, remainingMs: 0, requestedMs: 0 };
  it.each([
    ["the first failure", {}, 500, 1_000],
    ["the fourth failure", { failures: 4 }, 4_000, 8_000],
    ["no valid token", { failures: 100 }, 7_500, 15_000],
    ["no valid token, and a refusal", { failures: 100, refused: true }, 30_000, 60_000],
    ["a token that is valid for 5 minutes", { failures: 100, remainingMs: 5 * minute }, 15_000, 30_000],
    ["a token that is valid for a day", { failures: 100, remainingMs: 1_440 * minute }, minute, 2 * minute],
    ["a requested pause", { requestedMs: 20_000 }, 20_000, 22_000],
    ["a requested pause of a day", { requestedMs: 1_440 * minute }, 5 * minute, 5.5 * minute],
    ["a requested pause longer than the token is valid", { requestedMs: minute, remainingMs: minute }, 30_000, 33_000],
  ])("%s", (_, given, from, to) => {
    expect(retryAfterMs({ ...failed, ...given }, earliest)).toBe(from);
    expect(retryAfterMs({ ...failed, ...given }, latest)).toBeCloseTo(to);
  });
});
