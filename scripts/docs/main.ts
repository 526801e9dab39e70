import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { readCommandLine } from "#test/support/command-line.ts";

const usage = `Usage: npm run docs [-- FOLDER]

Builds the documentation as a site into FOLDER (default: dist/docs), which is replaced. The site works on every web
server, and from the disk: open index.html.

  --help   print this text
`;

const folder = readCommandLine({ name: "docs", usage }, readFolder);
try {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
  // The generator is loaded on demand, so that --help does not wait for it.
  const { buildSite } = await import("./build-site.ts");
  const count = await buildSite(folder, version);
  process.stdout.write(`${count} pages: open ${resolve(folder, "index.html")}\n`);
} catch (error) {
  process.stderr.write(`docs: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

function readFolder(args: readonly string[]): string {
  const [given = "dist/docs", ...more] = args;
  if (more.length > 0 || given.startsWith("-")) throw new Error(`"${more[0] ?? given}" is not a folder`);
  if (resolve(given) === resolve(".")) throw new Error("the folder would be replaced: name another one");
  return given;
}
