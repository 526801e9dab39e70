// Generates docs/conformance.md from the requirements and cases in test/platform/conformance. With --check, it writes nothing and
// fails if the file is out of date.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { sections } from "#test/platform/conformance/suite.ts";
import { tableOf } from "#test/platform/conformance/table.ts";

const file = new URL("../docs/conformance.md", import.meta.url);
const expected = tableOf(sections);

if (!process.argv.includes("--check")) {
  await writeFile(file, expected);
  process.stdout.write(`${fileURLToPath(file)}: written\n`);
} else if ((await readFile(file, "utf8").catch(() => "")) !== expected) {
  process.stderr.write("docs/conformance.md is out of date. Run: npm run generate\n");
  process.exitCode = 1;
}
