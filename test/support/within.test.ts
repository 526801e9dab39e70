import { expect, it } from "vitest";
import { TimeoutError, within } from "./within.ts";

const never = new Promise<never>(() => {});

it("gives what comes in time", async () => {
  expect(await within("a step", 1, Promise.resolve("done"))).toBe("done");
});

it("names what takes too long", async () => {
  const waited = within("until Group shop is Ready", 0.02, never);
  await expect(waited).rejects.toThrow(TimeoutError);
  await expect(waited).rejects.toThrow("until Group shop is Ready took longer than 0.02 s");
});

it("waits no longer than its signal, also where that has aborted already", async () => {
  const controller = new AbortController();
  const waited = within("a step", 60, never, controller.signal);
  controller.abort(new Error("interrupted"));
  await expect(waited).rejects.toThrow("interrupted");
  await expect(within("a step", 60, never, controller.signal)).rejects.toThrow("interrupted");
});
