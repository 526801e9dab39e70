// Writes the import rules of .oxlintrc.json from the table in docs/architecture.md. With --check it writes nothing, and fails
// if the rules do not match the table. It always fails if a file of production has no row.
import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { layerOf, type LintOverride, lintOverrides, readLayers, tableDocument } from "./import-rules.ts";

const configFile = ".oxlintrc.json";
const layers = readLayers(await readFile(tableDocument, "utf8"));
const config = JSON.parse(await readFile(configFile, "utf8")) as { overrides: LintOverride[] };
const handWritten = config.overrides.filter((override) => !JSON.stringify(override).includes(tableDocument));
const overrides = [...lintOverrides(layers), ...handWritten];

if (JSON.stringify(config.overrides) !== JSON.stringify(overrides)) {
  if (process.argv.includes("--check"))
    fail(`${configFile} does not match the table in ${tableDocument}. Run npm run generate`);
  else await writeFile(configFile, `${JSON.stringify({ ...config, overrides }, undefined, 2)}\n`);
}

const production = globSync("src/**/*.ts").filter((file) => !/\.(test|testing)\.ts$/.test(file));
for (const file of production)
  if (layerOf(file, layers) === undefined) fail(`${file}: its folder has no row in the table in ${tableDocument}`);

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
