import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";

test("doubles the window from 250 ms to 5 min", () => {
  const backoff = new Backoff(() => 0.999999);
  const delays = Array.from({ length: 13 }, () => Math.round(backoff.next("a")));
  expect(delays).toEqual([
    250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000,
  ]);
});

test("applies full jitter", () => {
  expect(new Backoff(() => 0).next("a")).toBe(0);
  expect(new Backoff(() => 0.5).next("a")).toBe(125);
});

test("forget resets one key; keys are independent", () => {
  const backoff = new Backoff(() => 0.5);
  for (let time = 0; time < 5; time++) backoff.next("a");
  expect(backoff.failures("a")).toBe(5);
  expect(backoff.next("b")).toBe(125);
  backoff.forget("a");
  expect(backoff.failures("a")).toBe(0);
  expect(backoff.next("a")).toBe(125);
});

test("waits at least as long as Retry-After, with a spread", () => {
  const backoff = new Backoff(() => 0.5);
  expect(backoff.next("a", 10_000)).toBe(10_500);
  expect(backoff.next("a", 100)).toBe(250);
});

test("keeps the delay finite after thousands of failures", () => {
  const backoff = new Backoff(() => 0.5);
  for (let time = 0; time < 2000; time++) backoff.next("a");
  expect(backoff.next("a")).toBe(150_000);
});
