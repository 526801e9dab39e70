// Writes crds/*.yaml from the schemas in src/api. With --check it writes nothing, and fails if a file is not as it would
// be written.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { customResourceDefinition } from "#src/api/crd.ts";
import { resourceDefinitions } from "#src/api/resource.ts";

const folder = new URL("../crds/", import.meta.url);
const header = "# Generated from src/api by `npm run generate`. Do not edit.\n";

const wanted = new Map<string, string>(
  resourceDefinitions.map((definition) => [
    `${definition.plural}.yaml`,
    header + stringify(customResourceDefinition(definition), { lineWidth: 120, aliasDuplicateObjects: false }),
  ]),
);

await mkdir(folder, { recursive: true });
const present = await readdir(folder);
const stale: string[] = [];
for (const name of present) if (!wanted.has(name)) stale.push(name);
for (const [name, text] of wanted)
  if (!present.includes(name) || (await readFile(new URL(name, folder), "utf8")) !== text) stale.push(name);

if (!process.argv.includes("--check")) {
  for (const name of stale) {
    const text = wanted.get(name);
    if (text === undefined) await rm(new URL(name, folder));
    else await writeFile(new URL(name, folder), text);
  }
  process.stdout.write(`${fileURLToPath(folder)}: ${stale.length} of ${wanted.size} files written\n`);
} else if (stale.length > 0) {
  process.stderr.write(
    `not as src/api says: ${stale.map((name) => `crds/${name}`).join(", ")}. Mend: npm run generate\n`,
  );
  process.exitCode = 1;
}
