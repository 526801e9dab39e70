import { expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import { PlatformFailure } from "./failure.ts";
import { probe } from "./probe.ts";

const address = "https://platform.example";
const lifetime = () => new AbortController();
const outcomeOf = (probed: Promise<void>) =>
  probed.then(
    () => "responds",
    (error: PlatformFailure) => error.problem,
  );

it("resolves with a response, and leaves no timer", async () => {
  const clock = new ManualClock();
  await expect(outcomeOf(probe(address, () => Promise.resolve("anything"), clock, lifetime().signal))).resolves.toBe(
    "responds",
  );
  expect(clock.pending).toBe(0);
});

it("rejects with the failure of the call", async () => {
  const failure = new PlatformFailure("get groups", { kind: "noResponse", message: "connection refused" });
  const clock = new ManualClock();
  await expect(probe(address, () => Promise.reject(failure), clock, lifetime().signal)).rejects.toBe(failure);
  expect(clock.pending).toBe(0);
});

it("rejects after 5 s without a response, and ends the call, even if a part of it goes on", async () => {
  const clock = new ManualClock();
  let ended = false;
  const silent = (signal: AbortSignal) => {
    signal.addEventListener("abort", () => {
      ended = true;
    });
    return new Promise(() => undefined);
  };
  const outcome = outcomeOf(probe(address, silent, clock, lifetime().signal));
  await clock.advance(4_999);
  expect(ended).toBe(false);
  await clock.advance(1);
  await expect(outcome).resolves.toEqual({
    kind: "noResponse",
    message: "https://platform.example is not available: no response within 5000 ms",
  });
  expect(ended).toBe(true);
});

it("ends the call with its signal", async () => {
  const clock = new ManualClock();
  const stopping = lifetime();
  const waits = (end: AbortSignal) =>
    new Promise((_, reject) => end.addEventListener("abort", () => reject(end.reason as Error)));
  const outcome = outcomeOf(probe(address, waits, clock, stopping.signal));
  stopping.abort(new Error("stopping"));
  await expect(outcome).resolves.toMatchObject({ kind: "noResponse" });
  expect(clock.pending).toBe(0);
});
