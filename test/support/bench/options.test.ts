import { describe, expect, it } from "vitest";
import { flag, list, number, numbers, path, quick, readOptions, usageOf } from "./options.ts";

const options = {
  objects: number("objects", 900, { small: 18, least: 9 }),
  platformLatency: number("milliseconds", 0, { least: 0 }),
  cases: list("cases", ["get", "create"]),
  kinds: list("kinds", ["pages", "watches"], { small: ["pages"] }),
  sizes: numbers("sizes", [1_000, 100_000], [1_000], 1_000),
  admissionPolicy: flag("with the policy"),
  json: path("FILE", "the file"),
  quick,
};

describe("readOptions", () => {
  it("has the default of each option", () => {
    expect(readOptions(options, [])).toEqual({
      objects: 900,
      platformLatency: 0,
      cases: ["get", "create"],
      kinds: ["pages", "watches"],
      sizes: [1_000, 100_000],
      admissionPolicy: false,
      json: undefined,
      quick: false,
    });
  });

  it("has small sizes with --quick, unless a size is given", () => {
    const given = readOptions(options, ["--sizes", "2000,3000", "--quick"]);
    expect(given).toMatchObject({ objects: 18, platformLatency: 0, kinds: ["pages"], sizes: [2_000, 3_000] });
  });

  it("reads what is given, and an empty list", () => {
    const given = ["--platform-latency", "20", "--admission-policy", "--cases", "", "--json", "out.json"];
    expect(readOptions(options, given)).toMatchObject({
      platformLatency: 20,
      admissionPolicy: true,
      cases: [],
      json: "out.json",
    });
  });

  it.each([
    [["--objects", "8"], '--objects: "8" is not a whole number of at least 9'],
    [["--sizes", "1000,x"], '--sizes: "x" is not a whole number of at least 1000'],
    [["--cases", "get,put"], '--cases: "put" is not one of get, create'],
    [["--unknown"], "--unknown"],
  ])("rejects %j", (args, message) => {
    expect(() => readOptions(options, args)).toThrow(message);
  });
});

it("describes each option, and wraps what is long", () => {
  const usage = usageOf({ objects: options.objects, platformLatency: number("word ".repeat(30).trim(), 0) });
  const [first = "", second = "", third = "", ...more] = usage.split("\n");
  expect(first).toBe("  --objects N           objects (default 900, with --quick 18)");
  expect(second).toMatch(/^ {2}--platform-latency N {2}word word/);
  expect(third).toMatch(/^ {24}word.*\(default 0\)$/);
  expect([second, third].every((line) => line.length <= 116)).toBe(true);
  expect(more).toEqual([]);
});
