import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type LoadOptions, type LoadResult } from "#src/platform/load/load.ts";
import { sourceFiles } from "#src/platform/load/source-file.ts";
import type { RunningPlatform } from "./running-platform.testing.ts";

/** Loads documents into a platform's database as `muster platform load` does while the platform runs. */
export async function loadInto(
  platform: RunningPlatform,
  documents: readonly object[],
  group?: string,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), "muster-load-into-"));
  const path = join(folder, "documents.jsonl");
  writeFileSync(path, documents.map((document) => JSON.stringify(document)).join("\n"));
  try {
    return await loadFiles(platform, [path], { group });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Loads files as `loadInto` loads documents. */
export async function loadFiles(
  platform: RunningPlatform,
  paths: readonly string[],
  options: Partial<Pick<LoadOptions, "group" | "signal" | "report">> = {},
): Promise<LoadResult> {
  const { group, signal = new AbortController().signal, report = () => {} } = options;
  const database = await platform.openDatabase();
  try {
    return await load({ database, files: sourceFiles(paths), group, now: platform.now, signal, report });
  } finally {
    await database.close();
  }
}
