// Runs every scripts/generate-*.ts.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";

/** Others read what these write. All further scripts follow in the order of their names. */
const first = ["generate-contract", "generate-crds", "generate-deploy"].map((name) => `scripts/${name}.ts`);
const scripts = [...new Set([...first, ...globSync("scripts/generate-*.ts").toSorted()])];

const usage = `Usage: npm run generate

Writes every generated file: ${scripts.map((script) => `\n  ${script}`).join("")}
`;
readCommandLine({ name: "generate", usage }, (args) => readFlags(args, []));

for (const script of scripts) run(process.execPath, script);

function run(program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
