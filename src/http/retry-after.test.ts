import { expect, test } from "vitest";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test.each([
  ["seconds", "120", 120_000],
  ["a date", "Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
  ["a date in the past", "Wed, 31 Dec 2025 23:59:30 GMT", 0],
  ["a malformed header", "soon", undefined],
  ["a missing header", undefined, undefined],
])("converts %s", (_, header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected);
});
