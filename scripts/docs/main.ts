import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readCommandLine } from "#test/support/command-line.ts";
import { parsePage } from "./page-parser.ts";
import { pageTable } from "./page-table.ts";
import { readSources } from "./sources.ts";

const usage = `Usage: npm run docs [-- FOLDER | --pages]

Builds the documentation as a site into FOLDER (default: dist/docs), which is replaced. The site works on every web
server, and from the disk: open index.html.

  --pages  print the pages of docs/ instead: how many words each has, who reads it, and for which task
  --help   print this text
`;

const output = readCommandLine({ name: "docs", usage }, readOutput);
try {
  if (output === "pages") process.stdout.write(pageTable(readSources().map(parsePage)));
  else await build(output.folder);
} catch (error) {
  process.stderr.write(`docs: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function build(folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  // The generator is loaded on demand, so that --help does not wait for it.
  const { buildSite } = await import("./build-site.ts");
  const count = await buildSite(folder, version);
  process.stdout.write(`${count} pages: open ${resolve(folder, "index.html")}\n`);
}

function readOutput(args: readonly string[]): "pages" | { readonly folder: string } {
  if (args.length === 1 && args[0] === "--pages") return "pages";
  const [given = "dist/docs", ...more] = args;
  if (more.length > 0 || given.startsWith("-")) throw new Error(`"${more[0] ?? given}" is not a folder`);
  if (resolve(given) === resolve(".")) throw new Error("the folder would be replaced: name another one");
  return { folder: given };
}
