import { expect, it } from "vitest";
import { PlatformFailure } from "./failure.ts";
import { TrialWrites } from "./trial-writes.ts";

const failure = new PlatformFailure("create groups", { kind: "noResponse", message: "lost" });
const stopped = new Error("the operator is stopping");
const rejection = (error: Error) => () => Promise.reject(error);

it("asks for a write, and ends with the outcome of the next one", async () => {
  const trials = new TrialWrites();
  const lifetime = new AbortController();
  let asked = 0;
  trials.onWanted(() => (asked += 1), lifetime.signal);
  expect(trials.wanted).toBe(false);
  const succeeded = trials.request();
  expect([trials.wanted, asked]).toEqual([true, 1]);
  await expect(trials.run(() => Promise.resolve("created"))).resolves.toBe("created");
  await expect(succeeded).resolves.toBeUndefined();
  expect(trials.wanted).toBe(false);

  const failed = trials.request();
  await expect(trials.run(rejection(failure))).rejects.toBe(failure);
  await expect(failed).rejects.toBe(failure);
  lifetime.abort();
  void trials.request();
  expect(asked).toBe(2);
});

it("lets no second write be the trial while the first is on its way", async () => {
  const trials = new TrialWrites();
  const outcome = trials.request();
  const sent = Promise.withResolvers<string>();
  const running = trials.run(() => sent.promise);
  expect(trials.wanted).toBe(false);
  sent.resolve("created");
  await expect(running).resolves.toBe("created");
  await expect(outcome).resolves.toBeUndefined();
});

it.each([
  ["was stopped", stopped],
  ["was not sent", new PlatformFailure("create groups", { kind: "paused", retryAfterMs: 0 })],
])("ends with a write that %s, and can be asked for again", async (_, error) => {
  const trials = new TrialWrites();
  const outcome = trials.request();
  await expect(trials.run(rejection(error))).rejects.toBe(error);
  await expect(outcome).rejects.toBe(error);
  expect(trials.wanted).toBe(false);
  const next = trials.request();
  await trials.run(() => Promise.resolve());
  await expect(next).resolves.toBeUndefined();
});
