import { type DestinationStream, destination as fileDestination, type Logger, pino } from "pino";
import { redact } from "./redaction.ts";

export type { Logger } from "pino";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly level: LogLevel;
  /** On every line: `{ component: "operator" }`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /**
   * Default: standard error. Lines are handed over while the process goes on, several at once where many come; what is
   * left is written when it ends, also by an exception that nobody caught.
   */
  readonly destination?: DestinationStream;
}

/**
 * A log of one JSON object a line: `time` (RFC 3339), `level` by name, `msg`, and fields. Messages are constant and
 * what varies is a field. Whatever looks like a token or a key, in any field at any depth, is taken out of the finished
 * line. Errors (under `err`) keep name, message, stack and the names and messages of their causes.
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
    destination ?? fileDestination({ dest: 2, sync: false }),
  );
}

interface DescribedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
  readonly [field: string]: unknown;
}

const causesShown = 5;

/** What a log shows of an error: never its other properties as they are, which may hold whole requests. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: textOf(error) };
  const { name, message, stack, cause } = error;
  const facts = Object.fromEntries(
    Object.entries(error).filter(([, value]) => typeof value === "string" || typeof value === "number"),
  );
  return {
    ...facts,
    name,
    message,
    ...(depth === 0 && stack !== undefined ? { stack } : {}),
    ...(cause === undefined || depth >= causesShown ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

function textOf(value: unknown): string {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return String(value);
  }
}
