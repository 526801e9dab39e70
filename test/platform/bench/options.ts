import { list, number, numbers, type Values } from "#test/support/bench/options.ts";
import { caseNames } from "./cases.ts";

export const backends = ["sqlite", "postgres"] as const;
export type Backend = (typeof backends)[number];

export const options = {
  backend: list("backends", backends),
  sizes: numbers("numbers of resources, each at least 1000", [1_000, 100_000, 1_000_000], [1_000], 1_000),
  cases: list("cases", caseNames),
  callers: number("concurrent calls", 16),
  seconds: number("duration of the measurement of each case", 4, { small: 1 }),
};

export type PlatformOptions = Values<typeof options>;
