import { expect, it } from "vitest";
import { TimeoutError, within } from "./within.ts";

const never = new Promise<never>(() => {});

it("returns the result of work that is in time", async () => {
  expect(await within("a step", 1, Promise.resolve("done"))).toBe("done");
});

it("names the work that takes too long", async () => {
  const waited = within("until Group shop is Ready", 0.02, never);
  await expect(waited).rejects.toThrow(TimeoutError);
  await expect(waited).rejects.toThrow("until Group shop is Ready took longer than 0.02 s");
});

it("rejects when its signal aborts, or has already aborted", async () => {
  const controller = new AbortController();
  const waited = within("a step", 60, never, controller.signal);
  controller.abort(new Error("interrupted"));
  await expect(waited).rejects.toThrow("interrupted");
  await expect(within("a step", 60, never, controller.signal)).rejects.toThrow("interrupted");
});
