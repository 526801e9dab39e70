import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { expect, it } from "vitest";
import { editedText } from "./edit.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { plantedBugs } from "./planted-bugs.ts";

const all = Object.values(plantedBugs).flat();
const root = new URL("../../", import.meta.url);
const bug: PlantedBug = {
  name: "off-by-one",
  why: "the last one is forgotten",
  file: "src/some.ts",
  before: "<= last",
  after: "< last",
  foundBy: "src/some.test.ts",
};

it("has each name once", () => {
  const names = all.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

it.each(all)("plants $name", (planted) => {
  const edited = editedText(planted, readFileSync(new URL(planted.file, root), "utf8"));
  expect(() => stripTypeScriptTypes(edited)).not.toThrow();
  expect(existsSync(new URL(planted.foundBy, root)), planted.foundBy).toBe(true);
});

it("does not plant a bug where its text is missing or ambiguous", () => {
  expect(editedText(bug, "if (n <= last) use(n);")).toBe("if (n < last) use(n);");
  expect(() => editedText(bug, "if (n < last) use(n);")).toThrow("src/some.ts has the text nowhere");
  expect(() => editedText(bug, "if (n <= last && m <= last) use(n);")).toThrow("in several places");
});
