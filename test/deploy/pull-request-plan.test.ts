import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";

// The step of the example workflow that plans, with a docker that prints a plan and exits as `muster plan` does.

const run = promisify(execFile);
const file = fileURLToPath(new URL("../../examples/plan/pull-request.yaml", import.meta.url));
let folder = "";
let script = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-pull-request-"));
  const { jobs } = parse(await readFile(file, "utf8")) as {
    readonly jobs: { readonly plan: { readonly steps: readonly { readonly name?: string; readonly run?: string }[] } };
  };
  script = jobs.plan.steps.find(({ name }) => name === "Plan")?.run ?? "";
  await writeFile(join(folder, "docker"), '#!/bin/sh\ncat "$PLAN"\nexit "$CODE"\n', { mode: 0o755 });
});
afterAll(() => rm(folder, { recursive: true }));

/** @returns the comment, the summary of the job, and the variables of the later steps */
async function plan(text: string, code: number) {
  for (const name of ["summary", "variables"]) await writeFile(join(folder, name), "");
  await writeFile(join(folder, "plan"), text);
  const env = {
    PATH: `${folder}:${process.env["PATH"]}`,
    PLAN: join(folder, "plan"),
    CODE: String(code),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_ENV: join(folder, "variables"),
  };
  // As GitHub runs a step with `shell: bash`.
  await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd: folder, env });
  return Promise.all(["comment.md", "summary", "variables"].map((name) => readFile(join(folder, name), "utf8")));
}

it("comments the plan", async () => {
  expect(await plan("**Plan: 1 to create.**\n", 2)).toEqual([
    "**Plan: 1 to create.**\n",
    "**Plan: 1 to create.**\n",
    "STATUS=2\n",
  ]);
});

it("says that a comment lacks a part of the plan, which ends with who gains access, and shows all of it elsewhere", async () => {
  const long = `${"| create | group |\n".repeat(5_000)}\n**Access: 1 identity gains capabilities.**\n`;
  const [comment = "", summary] = await plan(long, 2);
  expect(comment.length).toBeLessThan(65_536);
  expect(comment).toMatch(/\n\n\*\*The plan is longer than a comment[^\n]*\*\*\n$/);
  expect(summary).toBe(long);
});

it.each([0, 3])("goes on after the exit code %i", async (code) => {
  expect((await plan("a plan\n", code))[2]).toBe(`STATUS=${code}\n`);
});

it("fails if the plan failed", async () => {
  await expect(plan("", 1)).rejects.toThrow();
});
