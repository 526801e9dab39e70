import { readFileSync, writeFileSync } from "node:fs";

/** The trial of a mutant that a process of tests is busy with. */
export interface Attempt {
  readonly number: number;
  readonly pid: number;
  /** When it is too late, in milliseconds since the epoch. */
  readonly until: number;
}

// A process in an endless loop sends nothing any longer: what it is busy with is in a file, which another process reads.

/** @param attempt null once it is over */
export function noteAttempt(path: string, attempt: Attempt | null): void {
  writeFileSync(path, JSON.stringify(attempt));
}

/** The last attempt that was noted, if it takes too long. */
export function lateAttempt(path: string): Attempt | undefined {
  // It may be read while it is written.
  const [, number, pid, until] = /^{"number":(\d+),"pid":(\d+),"until":(\d+)}$/.exec(readFileSync(path, "utf8")) ?? [];
  return until === undefined || Date.now() <= Number(until)
    ? undefined
    : { number: Number(number), pid: Number(pid), until: Number(until) };
}
