import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Backend } from "./options.ts";

/** The figures of one case, on one backend with `size` resources. */
export interface Figure {
  readonly backend: Backend;
  readonly size: number;
  readonly case: string;
  readonly requestsPerSecond: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** CPU time of the platform's process. */
  readonly cpuMillisecondsPerCall: number;
  /** Resident memory of the platform's process: after the case, and its peak during the case. */
  readonly rssMiB: number;
  readonly peakRssMiB: number;
  /** The share of the platform's core that other processes used during the case. */
  readonly othersShare: number;
}

/** The time that it took to fill a database. */
export interface Fill {
  readonly backend: Backend;
  readonly size: number;
  readonly seconds: number;
}

/** All figures of one or more runs. */
export interface Figures {
  readonly machine: string;
  readonly callers: number;
  readonly fills: readonly Fill[];
  readonly figures: readonly Figure[];
}

/** Adds new figures, which replace older ones of the same backend, size and case. */
export function merged(old: Figures, found: Figures): Figures {
  return {
    ...found,
    fills: replaced(old.fills, found.fills, ({ backend, size }) => `${backend} ${size}`),
    figures: replaced(old.figures, found.figures, (figure) => `${figure.backend} ${figure.size} ${figure.case}`),
  };
}

export async function readFigures(file: string): Promise<Figures | undefined> {
  return existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Figures) : undefined;
}

function replaced<T>(old: readonly T[], found: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map([...old, ...found].map((figure) => [keyOf(figure), figure])).values()];
}
