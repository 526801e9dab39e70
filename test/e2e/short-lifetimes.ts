import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildMusterImage } from "#test/node/images.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";

const execute = promisify(execFile);

/**
 * How long an API token of the image is valid (s), and how long after its creation a signing key is used. A key that an issuer has
 * withdrawn works for at most a sixth of it.
 */
export const lifetimeSeconds = 60;

/** What the image has in place of constants, which are no settings: nobody else should have tokens of a minute. */
const shorter = [
  ["src/platform/tokens/token-lifetime.ts", "apiTokenLifetime = 60 * 60 * 1_000", "apiTokenLifetime = 60 * 1_000"],
  ["src/platform/tokens/key-schedule.ts", "longestLead = hours(1)", "longestLead = hours(1 / 60)"],
  ["src/platform/tokens/issuer-times.ts", "refresh: minutes(5)", "refresh: minutes(5 / 60)"],
  ["src/platform/tokens/issuer-times.ts", "fresh: minutes(10)", "fresh: minutes(10 / 60)"],
] as const;

/** Builds the image of a copy of the working tree in which an hour is a minute. @returns the path of an archive */
export async function buildImageWithShortLifetimes(reference: string, options: BuildOptions): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "muster-e2e-short-"));
  try {
    const copy = 'git ls-files -z | tar --create --null --files-from=- | tar --extract --directory "$1"';
    await execute("sh", ["-c", copy, "sh", folder]);
    for (const [name, constant, replacement] of shorter) {
      const path = join(folder, name);
      const text = await readFile(path, "utf8");
      if (!text.includes(constant)) throw new Error(`${name} does not contain ${constant}`);
      await writeFile(path, text.replace(constant, replacement));
    }
    return await buildMusterImage({ folder, reference }, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
