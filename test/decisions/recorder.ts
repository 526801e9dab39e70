import { hash } from "node:crypto";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { gzipSync } from "node:zlib";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { Step } from "#src/reconcile/policy/step.ts";
import type { RecordedDecision } from "./recorded-decision.ts";
import { recordingVariable } from "./recording-source.ts";

/** As much text is compressed together. A process that is killed loses what it has not compressed yet. */
const batchBytes = 1 << 18;

const known = new Set<string>();
let batch: string[] = [];
let size = 0;

/**
 * Records a decision, unless this process has recorded the same one.
 * @public called by the text that `withRecording` makes
 */
export function record(observed: Observed, kind: string, step: Step): void {
  const line = JSON.stringify({ kind, observed, step } satisfies RecordedDecision);
  const digest = hash("sha1", line, "base64");
  if (known.has(digest)) return;
  known.add(digest);
  batch.push(line, "\n");
  size += line.length;
  if (size >= batchBytes) flush();
}

/** Writes what was recorded last. */
export function flush(): void {
  const folder = process.env[recordingVariable];
  if (batch.length === 0 || folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, `${process.pid}-${threadId}.ndjson.gz`), gzipSync(batch.join("")));
  batch = [];
  size = 0;
}

process.on("exit", flush);
