import { expect, it } from "vitest";
import { heapSize } from "./heap-size.ts";

it("grows with texts, fields and items", () => {
  expect(heapSize("")).toBeLessThan(heapSize("a".repeat(100)));
  expect(heapSize("a".repeat(1_000_000))).toBeGreaterThanOrEqual(1_000_000);
  expect(heapSize(Array(1_000).fill(null))).toBeGreaterThanOrEqual(8_000);
  expect(heapSize({ a: { b: [undefined, null, 1, true] } })).toBeGreaterThan(heapSize({ a: {} }));
});

it("measures what is nested deeper than the stack", () => {
  const depth = 1_000_000;
  expect(heapSize(JSON.parse("[".repeat(depth) + "]".repeat(depth)))).toBeGreaterThan(depth * 8);
});
