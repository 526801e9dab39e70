import { expect, test } from "vitest";
import { TimerHeap } from "./timer-heap.ts";

test("pops items by time, whatever the order in which they were pushed", () => {
  const heap = new TimerHeap();
  const times = Array.from({ length: 500 }, (_, index) => (index * 7919) % 263);
  for (const at of times) heap.push({ at });
  const popped = Array.from(times, () => heap.pop()?.at);
  expect(popped).toEqual(times.toSorted((a, b) => a - b));
  expect(heap.pop()).toBeUndefined();
  expect(heap.peek()).toBeUndefined();
});
