// Writes the import rules of .oxlintrc.json from the tables in docs/architecture.md. With --check it writes nothing, and
// fails if the rules differ from the tables or a folder has no row.
import { readFile, writeFile } from "node:fs/promises";
import { globSync } from "node:fs";
import { posix } from "node:path";
import { type LintOverride, lintOverrides, readLayers, tableDocument } from "./import-rules.ts";

const configFile = ".oxlintrc.json";
const layers = readLayers(await readFile(tableDocument, "utf8"));
const config = JSON.parse(await readFile(configFile, "utf8")) as { overrides: LintOverride[] };
const written = config.overrides.filter((override) => !JSON.stringify(override).includes(tableDocument));
const overrides = [...lintOverrides(layers), ...written];

const folders = new Set(globSync("src/**/*.ts").map((file) => `${posix.dirname(file)}/`));
const missing = [...folders].filter((folder) => {
  const owners = layers.map(({ path }) => path);
  const inFile = owners.some((path) => path.endsWith(".ts") && `${posix.dirname(path)}/` === folder);
  return (
    !inFile && !owners.some((path) => path === folder || (path.endsWith("**") && folder.startsWith(path.slice(0, -2))))
  );
});
for (const folder of missing) process.stderr.write(`${tableDocument}: ${folder} has no row in the table.\n`);

const current = JSON.stringify(config.overrides) === JSON.stringify(overrides);
if (!process.argv.includes("--check")) {
  if (!current) await writeFile(configFile, `${JSON.stringify({ ...config, overrides }, undefined, 2)}\n`);
} else if (!current) {
  process.stderr.write(`${configFile} does not match the tables in ${tableDocument}. Run: npm run generate\n`);
  process.exitCode = 1;
}
if (missing.length > 0) process.exitCode = 1;
