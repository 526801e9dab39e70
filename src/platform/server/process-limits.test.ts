import { describe, expect, it } from "vitest";
import { memoryLimit, openFilesLimit, readProcessLimits } from "./process-limits.ts";

const gibibyte = 1024 ** 3;

describe("the memory that the process may use", () => {
  it.each([
    ["that of the cgroup", gibibyte / 4, 24 * gibibyte, gibibyte / 4],
    ["that of the machine without a cgroup", 0, 24 * gibibyte, 24 * gibibyte],
    ["that of the machine if the cgroup has no limit (v2)", 2 ** 64, 24 * gibibyte, 24 * gibibyte],
    ["that of the machine if the cgroup has no limit (v1)", 9_223_372_036_854_771_712, 24 * gibibyte, 24 * gibibyte],
    ["that of the machine if the cgroup may have more", 32 * gibibyte, 24 * gibibyte, 24 * gibibyte],
  ])("is %s", (_, constrained, machine, expected) => expect(memoryLimit(constrained, machine)).toBe(expected));
});

describe("the files that the process may open", () => {
  const limits = (value: string) =>
    `Max processes             94544    94544    processes\nMax open files            ${value}\n`;

  it.each([
    ["the soft limit", limits("1024                 524288               files"), 1_024],
    ["not limited", limits("unlimited            unlimited            files"), Infinity],
    ["not limited where this is unknown", undefined, Infinity],
  ])("are %s", (_, text, expected) => expect(openFilesLimit(text)).toBe(expected));
});

it("reads the limits of this process", () => {
  const { memory, openFiles } = readProcessLimits();
  expect(memory).toBeGreaterThan(64 * 1024 * 1024);
  expect(openFiles).toBeGreaterThanOrEqual(256);
});
