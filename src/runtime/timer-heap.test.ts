import { expect, test } from "vitest";
import { TimerHeap } from "./timer-heap.ts";

test("what is pushed in any order comes out by time", () => {
  const heap = new TimerHeap<string>();
  const times = Array.from({ length: 500 }, (_, index) => (index * 7919) % 263);
  for (const at of times) heap.push({ at, item: String(at) });
  const popped = Array.from(times, () => heap.pop()?.at);
  expect(popped).toEqual(times.toSorted((a, b) => a - b));
  expect(heap.pop()).toBeUndefined();
  expect(heap.size).toBe(0);
});
