import { describe, expect, it } from "vitest";
import { count, heading, mebibytes, milliseconds, type Outcome, seconds } from "./outcome.ts";
import { cell, columnTable, goalTable, printed, rowTable } from "./report.ts";

const one: Outcome = {
  case: "one",
  setting: "10 objects",
  figures: [seconds("time", 1.234, 2), mebibytes("memory, now / peak", [99.96, 120])],
};
const other: Outcome = { case: "other", figures: [seconds("time", 3, 2), count("calls", 1.0034)], note: "slow" };

describe("cell", () => {
  it.each([
    [count("", 1234567.8), "1,234,568"],
    [count("", 1.0034), "1.003"],
    [milliseconds("", 0.5678), "0.568 ms"],
    [milliseconds("", [1.234, 56.78]), "1.23 / 56.8 ms"],
    [seconds("", 123.45), "123 s"],
    [seconds("", 3, 2), "**3 s**"],
    [mebibytes("", Number.NaN, 512), "**NaN MiB**"],
    [heading("Edit"), ""],
    [undefined, ""],
  ])("%j is %j", (figure, text) => {
    expect(cell(figure)).toBe(text);
  });
});

describe("printed", () => {
  it("has a line for an outcome with few figures, and the goals that it misses", () => {
    expect(printed(other, "rows")).toBe(`${"other".padEnd(34)}  time 3 s (**at most 2 s**)  calls 1.003  slow`);
  });

  it("has a line for each figure of many, and its goal", () => {
    expect(printed(one, "columns").split("\n")).toEqual([
      "one: 10 objects",
      "time                1.23 s  at most 2 s",
      "memory, now / peak  100.0 / 120 MiB",
      "",
    ]);
  });
});

it("has a row for each outcome and a column for each figure that any has", () => {
  expect(rowTable([one, other], "note").split("\n")).toEqual([
    "|  | time | memory, now / peak | calls | note |",
    "| --- | ---: | ---: | ---: | ---: |",
    "| one | 1.23 s | 100.0 / 120 MiB |  |  |",
    "| other | **3 s** |  | 1.003 | slow |",
  ]);
});

it("has a column for each outcome", () => {
  expect(columnTable([one, { ...one, case: "two" }], (outcome) => outcome.case).split("\n")).toEqual([
    "|  | one | two |",
    "| --- | ---: | ---: |",
    "| time | 1.23 s | 1.23 s |",
    "| memory, now / peak | 100.0 / 120 MiB | 100.0 / 120 MiB |",
  ]);
});

it("has the goal of each figure", () => {
  expect(goalTable(other).split("\n").slice(2)).toEqual(["| time | 3 s | **at most 2 s** |", "| calls | 1.003 |  |"]);
});
