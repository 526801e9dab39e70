import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { foldersWithoutStart, forbiddenImports, isProduction, readLayers, tableDocument } from "./import-rules.ts";

const lintFile = ".oxlintrc.json";
const usage = `Usage: node scripts/check-imports.ts

Compares the imports of production with the table in ${tableDocument}, and exits with 1 if it forbids one of them; the linter
finds cycles. Also requires that a reader knows where to start in folders with more than ten files, and that ${lintFile} has the rules of pure code for exactly the folders that the table calls pure.
`;
readCommandLine({ name: "check-imports", usage }, (args) => readFlags(args, []));

const markdown = await readFile(tableDocument, "utf8");
const layers = readLayers(markdown);
const files = globSync("{src,test,demo,scripts}/**/{*.ts,README.md}").toSorted();
const texts = await Promise.all(
  files.filter(isProduction).map(async (file) => [file, await readFile(file, "utf8")] as const),
);
const problems = [...forbiddenImports(new Map(texts), layers), ...foldersWithoutStart(files, markdown)];

const { overrides } = JSON.parse(await readFile(lintFile, "utf8")) as {
  readonly overrides: readonly {
    readonly files: readonly string[];
    readonly rules: Readonly<Record<string, unknown>>;
  }[];
};
const linted = overrides.find(({ rules }) => "no-restricted-imports" in rules)?.files ?? [];
const pure = layers.filter((layer) => layer.pure).map(({ path }) => `${path}*.ts`);
if (linted.toSorted().join() !== pure.toSorted().join())
  problems.push(
    `${lintFile} has the rules of pure code for ${linted.join(", ")}, and ${tableDocument} calls ${pure.join(", ")} pure. Make both name the same folders.`,
  );

for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
