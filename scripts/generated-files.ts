import { globSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Writes generated files, by their paths in the repository. With `--check` on the command line it writes nothing, and sets the exit
 * code to 1 if a file differs; with `--help` it prints the usage.
 * @param folder is to have no other files than these: others in it are deleted
 */
export async function writeGenerated(
  source: string,
  given: ReadonlyMap<string, string>,
  folder?: string,
): Promise<void> {
  const others =
    folder === undefined ? [] : globSync("*", { cwd: join(root, folder) }).map((name) => `${folder}/${name}`);
  const files = new Map<string, string | undefined>([...others.map((path) => [path, undefined] as const), ...given]);
  const script = `scripts/${basename(process.argv[1] ?? "")}`;
  const usage = `Usage: node ${script} [--check]

Writes what is generated from ${source}. With --check, writes nothing and exits with 1 if a file is out of date.
`;
  const options = readCommandLine({ name: script, usage }, (args) => readFlags(args, ["--check"]));
  const stale: string[] = [];
  for (const [path, text] of files) if ((await contentOf(path)) !== text) stale.push(path);
  if (options.has("--check")) {
    if (stale.length === 0) return;
    process.stderr.write(`out of date with ${source}: ${stale.join(", ")}. Run npm run generate\n`);
    process.exitCode = 1;
    return;
  }
  for (const path of stale) {
    const text = files.get(path);
    if (text === undefined) await rm(join(root, path));
    else {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), text);
    }
  }
  process.stdout.write(`${source}: ${stale.length} of ${files.size} files written\n`);
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(root, path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
