import { readFileSync } from "node:fs";
import { constants, gunzipSync } from "node:zlib";

/** A line of a recording: a call of `decide`, as plain data. */
export interface RecordedDecision {
  /** The name of the kind. */
  readonly kind: string;
  readonly observed: unknown;
  readonly step: { readonly do: string };
}

/** The decisions in a file of a recording. The process that wrote it may have been killed while it wrote the last ones. */
export function* readDecisions(file: string): Generator<RecordedDecision> {
  const text = gunzipSync(readFileSync(file), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  for (const line of text.slice(0, text.lastIndexOf("\n")).split("\n"))
    if (line !== "") yield JSON.parse(line) as RecordedDecision;
}
