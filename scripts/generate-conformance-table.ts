// Writes docs/conformance.md from the sentences and cases in test/platform/conformance. With --check it writes nothing, and fails
// if the file is not as it would be written.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { chapters } from "#test/platform/conformance/suite.ts";
import { tableOf } from "#test/platform/conformance/table.ts";

const file = new URL("../docs/conformance.md", import.meta.url);
const wanted = tableOf(chapters);

if (!process.argv.includes("--check")) {
  await writeFile(file, wanted);
  process.stdout.write(`${fileURLToPath(file)}: written\n`);
} else if ((await readFile(file, "utf8").catch(() => "")) !== wanted) {
  process.stderr.write("not as test/platform/conformance says: docs/conformance.md. Mend: npm run generate\n");
  process.exitCode = 1;
}
