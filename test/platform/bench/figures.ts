import { existsSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Backend } from "./options.ts";

/** What one case took on a backend with so many resources. */
export interface Figure {
  readonly backend: Backend;
  readonly size: number;
  readonly case: string;
  readonly requestsPerSecond: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** Of the platform's process. */
  readonly cpuMillisecondsPerCall: number;
  /** Resident, of the platform's process: after the case, and at most during it. */
  readonly rssMiB: number;
  readonly peakRssMiB: number;
  /** Of the platform's core, the share of its time that other processes took meanwhile. */
  readonly othersShare: number;
}

export interface Fill {
  readonly backend: Backend;
  readonly size: number;
  readonly seconds: number;
}

/** What was measured, perhaps in several runs. */
export interface Figures {
  readonly machine: string;
  readonly callers: number;
  readonly fills: readonly Fill[];
  readonly figures: readonly Figure[];
}

/** Puts new figures in the place of older ones of the same. */
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

export function writeFigures(file: string, figures: Figures): void {
  writeFileSync(file, `${JSON.stringify(figures, undefined, 2)}\n`);
}

function replaced<T>(old: readonly T[], found: readonly T[], keyOf: (one: T) => string): T[] {
  return [...new Map([...old, ...found].map((one) => [keyOf(one), one])).values()];
}
