import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, type LoadOptions, type LoadResult } from "../load/load.ts";
import { sourceFiles } from "../load/source-file.ts";
import type { RunningPlatform } from "./running-platform.ts";

/** Loads documents into a platform's data as `muster platform load` does: beside the platform that runs on it. */
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

/** As `loadInto`, from files. */
export async function loadFiles(
  platform: RunningPlatform,
  paths: readonly string[],
  options: Partial<Pick<LoadOptions, "group" | "signal" | "report">> = {},
): Promise<LoadResult> {
  const { group, signal = new AbortController().signal, report = () => {} } = options;
  const store = await platform.openStore();
  try {
    return await load({ database: store, files: sourceFiles(paths), group, now: platform.now, signal, report });
  } finally {
    await store.close();
  }
}
