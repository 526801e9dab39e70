import { redact } from "./redaction.ts";

const maxLength = 1_000;

/**
 * A text of another machine, for one line of a log, an event or a terminal: at most 1,000 characters, without secrets and
 * without control characters, which could move the cursor of a terminal.
 */
export function oneLine(text: string): string {
  return redact(text.slice(0, maxLength))
    .replace(/\s+/g, " ")
    .replace(/[^\P{C} ]/gu, "")
    .trim();
}
