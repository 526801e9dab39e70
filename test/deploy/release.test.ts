import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildReleaseTools } from "#test/support/release-tools/build.ts";

const run = promisify(execFile);
/** The example for users. */
const pullRequests = fileURLToPath(new URL("../../examples/plan/pull-request.yaml", import.meta.url));
const workflow = fileURLToPath(new URL("../../.github/workflows/release.yml", import.meta.url));

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

describe("the release workflow", () => {
  it("has no finding of the linter of workflows, which finds a wrong expression", { timeout: 300_000 }, async () => {
    const tools = await buildReleaseTools();
    await run(tools, ["workflow", workflow, pullRequests]);
    const folder = await mkdtemp(join(tmpdir(), "muster-workflow-"));
    try {
      const wrong = join(folder, "wrong.yml");
      await writeFile(wrong, (await readFile(workflow, "utf8")).replace("vars.REGISTRY", "variables.REGISTRY"));
      const found = await run(tools, ["workflow", wrong]).catch((error: { readonly stdout: string }) => error.stdout);
      expect(found).toContain('undefined variable "variables"');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("runs only actions of a commit, and passes nothing from outside into a script but by variables", async () => {
    const texts = await Promise.all([workflow, pullRequests].map((file) => readFile(file, "utf8")));
    const steps = texts.flatMap((text) => {
      const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>> };
      return Object.values(jobs).flatMap((job) => job.steps);
    });
    expect(steps.length).toBeGreaterThan(5);
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    for (const step of steps) expect(step.run ?? "").not.toContain("${{");
  });
});
