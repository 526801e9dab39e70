import { type DestinationStream, destination as fileDestination, type Logger, pino } from "pino";
import { BatchedLines } from "./batched-lines.ts";
import { redact } from "./redaction.ts";

export type { Logger } from "pino";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** Fields of every line: `{ component: "operator" }`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /**
   * Default: standard error. Writes are asynchronous and batched (see `BatchedLines`). While nobody reads standard error, at
   * most 4 MiB wait; lines that arrive then are dropped.
   */
  readonly destination?: DestinationStream;
}

/**
 * Creates a log with one JSON object per line: `time` (RFC 3339), `level` by name, `msg`, and fields. Messages are
 * constant; variable data is in fields. Whatever looks like a token or a private key is redacted in the finished line,
 * in every field at every depth. Errors (under `err`) are logged as `describeError` returns them.
 */
export function createLog({ level, fields = {}, destination }: LogOptions): Logger {
  return pino(
    {
      level,
      base: fields,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: { streamWrite: redact },
    },
    destination ?? standardError(),
  );
}

/** How much may wait while nobody reads standard error, in characters. */
const maxBuffered = 4 * 1024 * 1024;

function standardError(): DestinationStream {
  const lines = new BatchedLines(fileDestination({ dest: 2, sync: false, maxLength: maxBuffered }));
  process.once("exit", () => lines.flushSync());
  return lines;
}

interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
  readonly [field: string]: unknown;
}

const maxCauses = 5;

/**
 * The loggable part of an error: name, message, stack, its strings and numbers, and the same of its causes, without
 * their stacks. Other properties are left out, because they may contain whole requests.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: textOf(error) };
  const { name, message, stack, cause } = error;
  const plainFields = Object.fromEntries(
    Object.entries(error).filter(([, value]) => typeof value === "string" || typeof value === "number"),
  );
  return {
    ...plainFields,
    name,
    message,
    ...(depth === 0 && stack !== undefined ? { stack } : {}),
    ...(cause === undefined || depth >= maxCauses ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

function textOf(value: unknown): string {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return String(value);
  }
}
