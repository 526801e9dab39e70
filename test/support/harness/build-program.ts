import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programVariable } from "./program-variable.ts";

const build = fileURLToPath(new URL("../../../scripts/build.ts", import.meta.url));

/**
 * The global setup of test projects, and of programs, that start Muster as processes: bundles the program once, as the image does. What is set
 * before is used as it is.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[programVariable] !== undefined) return undefined;
  // Before anything is awaited, because the setups of several projects run at the same time, and the tests after all of them.
  const folder = mkdtempSync(join(tmpdir(), "muster-program-"));
  process.env[programVariable] = join(folder, "muster.mjs");
  await promisify(execFile)(process.execPath, [build, folder]);
  return () => rm(folder, { recursive: true });
}
