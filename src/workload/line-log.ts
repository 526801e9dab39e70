import { redact } from "#src/telemetry/redaction.ts";
import type { WallClock } from "#src/time/wall-clock.ts";

/** A log with one JSON object per line, in the format of the other commands, without their library. */
export interface LineLog {
  readonly info: (message: string, fields?: LogFields) => void;
  readonly warn: (message: string, fields?: LogFields) => void;
  readonly error: (message: string, fields?: LogFields) => void;
}

type LogFields = Readonly<Record<string, string | number>>;

/** @param write receives each line with its line break. Messages are constant; what looks like a token is redacted. */
export function lineLog(write: (line: string) => void, now: WallClock): LineLog {
  const log =
    (level: string) =>
    (msg: string, fields: LogFields = {}) =>
      write(`${redact(JSON.stringify({ level, time: new Date(now()).toISOString(), msg, ...fields }))}\n`);
  return { info: log("info"), warn: log("warn"), error: log("error") };
}
