import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { releaseMemory } from "./release-memory.ts";

it("collects what nothing refers to any longer, and leaves no function behind with which others could", async () => {
  const garbage = new WeakRef({ text: "a".repeat(1_000) });
  // What a WeakRef has shown is kept until the end of the turn.
  await nextTurn();
  releaseMemory();
  expect(garbage.deref()).toBeUndefined();
  expect(globalThis).not.toHaveProperty("gc");
});
