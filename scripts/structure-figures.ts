import { globSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { readCommandLine } from "#test/support/command-line.ts";
import { forbiddenImports, importsOf, readLayers, tableDocument } from "./import-rules.ts";

const usage = `Usage: node scripts/structure-figures.ts [ROOT]

Prints figures about the structure of the source in ROOT (default: this folder): cycles, imports against the table in
${tableDocument}, sizes, exports with a single user.
`;
const root = readCommandLine({ name: "structure-figures", usage }, ([folder = ".", ...more]) => {
  if (more.length > 0 || folder.startsWith("-")) throw new Error("give at most one folder");
  return folder;
});
const files = globSync("{src,test,demo,scripts}/**/*.ts", { cwd: root }).toSorted();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));

const isTest = (file: string) => file.endsWith(".test.ts");
const isProduction = (file: string) =>
  file.startsWith("src/") && !isTest(file) && !/\.(testing|cases)\.ts$|\/tests\/|\/gen\//.test(file);

/** The strongly connected components with two members or more. */
function cyclesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reaches = new Map([...graph.keys()].map((node) => [node, reachable(graph, node)]));
  const cycles = new Map<string, string[]>();
  for (const [node, others] of reaches) {
    if (!others.has(node)) continue;
    const members = [...others].filter((other) => reaches.get(other)?.has(node)).toSorted();
    if (members.length > 1) cycles.set(members.join(" "), members);
  }
  return [...cycles.values()];
}

function reachable(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const next of graph.get(node) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        open.push(next);
      }
  return seen;
}

const production = files.filter(isProduction);
const byFile = new Map(
  production.map((file) => {
    const imports = importsOf(file, texts.get(file) ?? "").filter((name) => texts.has(name) && isProduction(name));
    return [file, new Set(imports)];
  }),
);
const byFolder = new Map<string, Set<string>>();
for (const [file, imports] of byFile) {
  const folder = posix.dirname(file);
  const others = [...imports].map((name) => posix.dirname(name)).filter((name) => name !== folder);
  byFolder.set(folder, new Set([...(byFolder.get(folder) ?? []), ...others]));
}

function importsAgainstTable(): number | undefined {
  const markdown = readFileSync(join(root, tableDocument), "utf8");
  if (!markdown.includes("| `src/platform/store/` |")) return undefined;
  return forbiddenImports(texts, readLayers(markdown)).length;
}

/** Exported names, and how many of them exactly one other file imports. */
function exportsWithOneUser(): { readonly all: number; readonly single: number } {
  const users = new Map<string, number>();
  const imported = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"([#.][^"]+)"/g;
  for (const [file, text] of texts)
    for (const [, names = "", from = ""] of text.matchAll(imported)) {
      const target = from.startsWith("#") ? from.slice(1) : posix.join(posix.dirname(file), from);
      for (const name of names.split(",").map(
        (one) =>
          one
            .trim()
            .replace(/^type /, "")
            .split(" as ")[0] ?? "",
      ))
        if (name !== "") users.set(`${target} ${name}`, (users.get(`${target} ${name}`) ?? 0) + 1);
    }
  const exported =
    /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|class|const|let|interface|type|enum) ([A-Za-z0-9_]+)/gm;
  const all = production.flatMap((file) =>
    [...(texts.get(file) ?? "").matchAll(exported)].map(([, name]) => `${file} ${name}`),
  );
  return { all: all.length, single: all.filter((name) => users.get(name) === 1).length };
}

function sizeOf(some: readonly string[]): string {
  const lines = some.reduce((sum, file) => sum + (texts.get(file)?.split("\n").length ?? 1) - 1, 0);
  return `${some.length} files, ${lines} lines`;
}

const own = files.filter((file) => !file.includes("/gen/"));
const { all, single } = exportsWithOneUser();
const against = importsAgainstTable();
const figures = {
  "file cycles, types included": cyclesIn(byFile).length,
  "folder cycles": cyclesIn(byFolder)
    .map((cycle) => `${cycle.length} folders`)
    .join(", "),
  "imports against the table": against ?? "no table of the platform's folders",
  production: sizeOf(production),
  tests: sizeOf(own.filter(isTest)),
  "support of tests, programs, scripts": sizeOf(own.filter((file) => !isTest(file) && !isProduction(file))),
  "exports with a single user": `${single} of ${all}`,
};
for (const [name, value] of Object.entries(figures))
  process.stdout.write(`${name}: ${value === "" ? "none" : value}\n`);
