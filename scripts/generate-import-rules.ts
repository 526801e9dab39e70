import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { layerOf, type LintOverride, lintOverrides, readLayers, tableDocument } from "./import-rules.ts";

const configFile = ".oxlintrc.json";
const usage = `Usage: node scripts/generate-import-rules.ts [--check]

Writes the import rules of ${configFile} from the table in ${tableDocument}. With --check, writes nothing and exits with 1
if the rules do not match the table. Always exits with 1 if a file of production has no row.
`;

const options = readCommandLine({ name: "generate-import-rules", usage }, (args) => readFlags(args, ["--check"]));
const layers = readLayers(await readFile(tableDocument, "utf8"));
const config = JSON.parse(await readFile(configFile, "utf8")) as { overrides: LintOverride[] };
const handWritten = config.overrides.filter((override) => !JSON.stringify(override).includes(tableDocument));
const overrides = [...lintOverrides(layers), ...handWritten];

if (JSON.stringify(config.overrides) !== JSON.stringify(overrides)) {
  if (options.has("--check")) fail(`${configFile} does not match the table in ${tableDocument}. Run npm run generate`);
  else await writeFile(configFile, `${JSON.stringify({ ...config, overrides }, undefined, 2)}\n`);
}

const production = globSync("src/**/*.ts").filter((file) => !/\.(test|testing)\.ts$/.test(file));
for (const file of production)
  if (layerOf(file, layers) === undefined) fail(`${file}: its folder has no row in the table in ${tableDocument}`);

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
