import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { runCommand } from "#src/command-line.testing.ts";

async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };
const expected = { version, commit: "unknown", node: process.versions.node };

it("prints version, commit and Node.js", async () => {
  expect(await run("version")).toBe(`version  ${version}\ncommit   unknown\nnode     ${process.versions.node}\n`);
  expect(await run("--version")).toBe(await run("version"));
  expect(JSON.parse(await run("version", "-o", "json"))).toEqual(expected);
  expect(parse(await run("version", "--output=yaml"))).toEqual(expected);
});
