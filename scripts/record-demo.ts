// Runs the demo and draws a part of its output, for the README.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { terminalSvg } from "./docs/terminal-svg.ts";

/** The chapters of the demo that the picture shows. */
const shown = [3, 4, 6];
const path = "docs/images/demo.svg";

const usage = `Usage: npm run docs:picture

Runs the demo and draws its chapters ${shown.join(", ")} into ${path}. It needs what the demo needs.
`;
readCommandLine({ name: "docs:picture", usage }, (args) => readFlags(args, []));

const demo = spawn(process.execPath, ["demo/main.ts"], {
  env: { ...process.env, FORCE_COLOR: "1", NO_COLOR: undefined, COLUMNS: "110" },
  stdio: ["ignore", "pipe", "inherit"],
});
let output = "";
demo.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
const [code] = (await once(demo, "close")) as [number | null];
if (code === 0) {
  await mkdir("docs/images", { recursive: true });
  await writeFile(path, terminalSvg(["\u001b[90m$\u001b[39m npm run demo", ...chapters(output)], "npm run demo"));
  process.stdout.write(`${path} is written\n`);
} else {
  process.stderr.write(`docs:picture: the demo failed with ${code}:\n${output}\n`);
  process.exitCode = 1;
}

/** The lines of the chapters to show. A line with an ellipsis stands for what is left out. */
function chapters(text: string): readonly string[] {
  const gap = "\u001b[90m…\u001b[39m";
  const lines: string[] = [];
  let isShown = false;
  for (const line of text.split("\n")) {
    const bare = stripVTControlCharacters(line);
    const [, number] = /^(\d+)\. /.exec(bare) ?? [];
    if (number !== undefined) isShown = shown.includes(Number(number));
    if (isShown && number !== undefined) lines.push("");
    if (isShown && bare.trim() !== "") lines.push(line);
    if (!isShown && lines.at(-1) !== gap) lines.push("", gap);
  }
  return lines;
}
