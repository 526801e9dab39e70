import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Makes `src/platform/gen` from `proto/`. With `--check` it makes it elsewhere and exits 1 where the committed files
 * are not the same.
 */
const target = "src/platform/gen";

if (process.argv.includes("--check")) {
  const folder = mkdtempSync(join(tmpdir(), "muster-contract-"));
  try {
    generate(folder);
    const stale = differences(join(folder, target), target);
    for (const file of stale) process.stderr.write(`${file} is not what proto/ says: run npm run generate\n`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
} else generate(".");

function generate(into: string): void {
  execFileSync("buf", ["generate", "--output", into], { stdio: "inherit" });
}

function differences(fresh: string, committed: string): string[] {
  const [wanted, found] = [filesIn(fresh), filesIn(committed)];
  const names = new Set([...wanted.keys(), ...found.keys()]);
  return [...names].filter((name) => wanted.get(name) !== found.get(name)).map((name) => join(committed, name));
}

function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
    }),
  );
}
