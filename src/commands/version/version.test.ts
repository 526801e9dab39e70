import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { runCommandLine } from "#src/command-line.ts";
import { commands } from "#src/commands.ts";

async function run(...args: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  const signal = new AbortController().signal;
  const terminal = { columns: 80, colors: false };
  const code = await runCommandLine(args, {
    env: {},
    signal,
    stdin: stdout,
    stdout,
    stderr: stdout,
    terminal,
    commands,
  });
  expect(code).toBe(0);
  return String(stdout.read());
}

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
const expected = { version, commit: "unknown", node: process.versions.node };

it("prints version, commit and Node.js", async () => {
  expect(await run("version")).toBe(`version  ${version}\ncommit   unknown\nnode     ${process.versions.node}\n`);
  expect(await run("--version")).toBe(await run("version"));
  expect(JSON.parse(await run("version", "-o", "json"))).toEqual(expected);
  expect(parse(await run("version", "--output=yaml"))).toEqual(expected);
});
