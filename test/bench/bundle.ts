import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles the program as the image does, and keeps it apart, so that another build does not change what is measured. */
export async function bundle(folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, ["scripts/build.ts"], { cwd: root });
  const program = join(folder, "muster.mjs");
  await copyFile(join(root, "dist/muster.js"), program);
  return program;
}
