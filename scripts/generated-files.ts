import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/**
 * Writes generated files, by their paths in the repository; undefined means that the file must not exist. With `--check` on
 * the command line it writes nothing, and sets the exit code to 1 if a file differs.
 */
export async function writeGenerated(source: string, files: ReadonlyMap<string, string | undefined>): Promise<void> {
  const stale: string[] = [];
  for (const [path, text] of files) if ((await contentOf(path)) !== text) stale.push(path);
  if (process.argv.includes("--check")) {
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
