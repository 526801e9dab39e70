import { describe, expect, it } from "vitest";
import { hasMoreValues } from "./count-values.ts";

const more = (json: string, maximum: number) => hasMoreValues(Buffer.from(json.padEnd(100)), maximum);

describe("hasMoreValues", () => {
  it.each([
    ["[1,2,3]", 3],
    ["{}", 1],
    [`{"a":{"b":{"c":1}}}`, 3],
    [`{"a":"x","b":"y","c":["z"]}`, 4],
    [`{"a":"${String.raw`,[\",{\\`}","b":1}`, 2],
    [`"${"[".repeat(90)}`, 0],
  ])("counts the values of %s", (json, values) => {
    expect(more(json, values)).toBe(false);
    if (values > 0) expect(more(json, values - 1)).toBe(true);
  });
});
