import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compiledFolder, program } from "./program.ts";

const build = fileURLToPath(new URL("../../../scripts/build.ts", import.meta.url));

/** Puts into a folder what `scripts/build.ts` builds: a copy of the test run's bundle, if it has one. */
export async function copyBundle(folder: string): Promise<void> {
  if (compiledFolder === undefined) await promisify(execFile)(process.execPath, [build, folder]);
  else await cp(dirname(program), folder, { recursive: true, filter: (path) => path !== compiledFolder });
}
