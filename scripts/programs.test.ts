import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { inFewTurns } from "#test/support/turn/in-turn.ts";

const run = promisify(execFile);

/** Every file that is meant to be run: those of package.json, and all others that export nothing. */
function programs(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly scripts: Record<string, string> };
  const named = Object.values(scripts).flatMap((line) =>
    [...line.matchAll(/node (\S+\.ts)/g)].map(([, file = ""]) => file),
  );
  const others = globSync(["{demo,test}/**/main.ts", "scripts/**/*.ts"]).filter(
    (file) => !/\.(?:test|d)\.ts$/.test(file) && !/^export /m.test(readFileSync(file, "utf8")),
  );
  return [...new Set([...named, ...others])].toSorted();
}

/** The programs share most of their modules: compiled once, they need half of the time. */
const cache = mkdtempSync(join(tmpdir(), "muster-programs-"));
afterAll(() => rmSync(cache, { recursive: true }));

it("finds the programs", () => {
  const found = programs();
  expect(found).toContain("demo/main.ts");
  expect(found).toContain("scripts/generate-crds.ts");
  expect(found).not.toContain("scripts/import-rules.ts");
});

// Types and imports are checked of all of them.
it.each(inFewTurns(3, programs()))(
  "%s answers --help without starting anything",
  async (file) => {
    const { stdout, stderr } = await run(process.execPath, [file, file.length % 2 === 0 ? "--help" : "-h"], {
      timeout: 60_000,
      // Without programs, a home and a folder for temporary files, it can start nothing.
      env: { PATH: "/nonexistent", HOME: "/nonexistent", TMPDIR: "/nonexistent", NODE_COMPILE_CACHE: cache },
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Usage: /);
  },
  60_000,
);

it.each([".ci/run", ".ci/nightly"])("%s answers --help", async (file) => {
  // Without a npm that it could run.
  const bash = (await run("sh", ["-c", "command -v bash"])).stdout.trim();
  const { stdout } = await run(bash, [file, "--help"], { env: { PATH: "/nonexistent" } });
  expect(stdout).toMatch(/^Usage: /);
});
