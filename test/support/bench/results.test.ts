import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { count } from "./outcome.ts";
import { type Results, ResultsFile } from "./results.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-results-"));
const file = join(folder, "out.json");
afterEach(() => rmSync(file, { force: true }));

it("keeps the newest outcome of each case, also of earlier runs", () => {
  const first = new ResultsFile(file);
  first.add({ case: "get", figures: [count("calls", 1)] });
  first.add({ case: "create", figures: [count("calls", 2)] });
  new ResultsFile(file).add({ case: "get", figures: [count("calls", 3)] });
  const { outcomes } = JSON.parse(readFileSync(file, "utf8")) as Results;
  expect(outcomes.map((one) => [one.case, one.figures[0]?.values])).toEqual([
    ["get", [3]],
    ["create", [2]],
  ]);
});

it("rejects a file that has something else", () => {
  writeFileSync(file, "[]");
  expect(() => new ResultsFile(file)).toThrow(`--json: ${file} exists, and was not written by this benchmark`);
});
