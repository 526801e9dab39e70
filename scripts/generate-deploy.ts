// Fills the lists of kinds in deploy/: of a line that ends with `# From src/kinds: PATTERN`, it rewrites the list, one item
// a kind, with the kind's plural for the `*` of the pattern. With --check it writes nothing, and fails if a list is out of
// date. It always fails if a line names a kind and has no such comment.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { apiGroup } from "#src/api/resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { writeGenerated } from "./generated-files.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const plurals = Object.values(kinds).map(({ definition }) => definition.plural);
const generatedLine = /^(?<before>\s*\w+: )\[.*\](?<comment> # From src\/kinds: (?<pattern>\S+))$/;
const namesKind = new RegExp(`[\\s[,](${plurals.join("|")})([\\s\\],./]|$)`);

const files = new Map<string, string>();
for (const entry of await readdir(join(root, "deploy"), { recursive: true })) {
  if (!entry.endsWith(".yaml")) continue;
  const path = `deploy/${entry}`;
  const lines = (await readFile(join(root, path), "utf8")).split("\n");
  files.set(path, lines.map((line, index) => withKinds(line, `${path}:${index + 1}`)).join("\n"));
}
await writeGenerated("src/kinds", files);

// A command in prose has no place for such a comment.
const all = plurals.map((plural) => `${plural}.${apiGroup}`).join(",");
if (!(await readFile(join(root, "deploy/README.md"), "utf8")).includes(all))
  fail(`deploy/README.md: the command under Uninstalling must delete all kinds: ${all}`);

function withKinds(line: string, where: string): string {
  const { before, comment, pattern } = generatedLine.exec(line)?.groups ?? {};
  if (before !== undefined && comment !== undefined && pattern !== undefined)
    return `${before}[${plurals.map((plural) => pattern.replace("*", plural)).join(", ")}]${comment}`;
  if (namesKind.test(line.replace(/#.*/, "")))
    fail(`${where}: this line names a kind. List all kinds, and end the line with "# From src/kinds: *"`);
  return line;
}

function fail(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
