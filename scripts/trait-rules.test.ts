import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { isProduction } from "./import-rules.ts";
import { misplacedTraits } from "./trait-rules.ts";

const files = globSync("src/reconcile/**/*.ts").filter(isProduction);
const texts = new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)));

it("only the homes of a trait ask for it", () => {
  expect(misplacedTraits(texts)).toEqual([]);
});

it.each([
  ["src/reconcile/policy/claimed.ts", 'if (kind.identification.by === "marker") return;', "identification"],
  ["src/reconcile/undeclared/names.ts", 'if (kind.name === "Group") return;', "name"],
  ["src/reconcile/observe/orphans.ts", "if (kind.principal !== null) return;", "principal"],
])("%s may not contain %s", (path, text, trait) => {
  const changed = new Map(texts).set(path, `${texts.get(path)}\n${text}`);
  expect(misplacedTraits(changed)).toEqual([expect.stringContaining(`${path} asks for the trait "${trait}"`)]);
});

it("a home that asks no longer is named", () => {
  const changed = new Map(texts).set("src/reconcile/policy/drift.ts", "");
  expect(misplacedTraits(changed)).toEqual([expect.stringContaining("policy/drift.ts does not ask")]);
});
