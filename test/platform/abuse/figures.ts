import type { Backend } from "#test/platform/bench/options.ts";
import { goals } from "./goals.ts";

/** What one kind of abuse came to. */
export interface AbuseFigure {
  /** The name of the kind; "baseline" without abuse. */
  readonly kind: string;
  /** The bystander's calls, and how long they took from when they were due. */
  readonly calls: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  /** The bystander's calls that did not succeed: their errors, with the number of each. */
  readonly failures: Readonly<Record<string, number>>;
  /** How the platform's process ended; undefined if it still ran. */
  readonly ended: string | undefined;
  /** Peak resident memory of the platform's process. */
  readonly peakRssMiB: number;
  /** The longest block of the platform's event loop. */
  readonly blockMilliseconds: number;
  /** The share of the time in which the platform could have run and another process had its core. */
  readonly waitedPercent: number;
  /** The CPU time of the abuser's process, as a share of one core: much of it delays the bystander, not the platform. */
  readonly abuserCpuPercent: number;
  /** What the audit log grew by. */
  readonly auditMiB: number;
  /** What the abuser got: HTTP statuses, gRPC codes and errors of connections, with the number of each. */
  readonly abuse: Readonly<Record<string, number>>;
}

export interface AbuseFigures {
  readonly machine: string;
  readonly backend: Backend;
  readonly seconds: number;
  readonly figures: readonly AbuseFigure[];
}

/** @returns the goals that were missed, without that for blocks of the event loop */
export function missedGoals({ p99Milliseconds, failures, ended, peakRssMiB }: AbuseFigure): string[] {
  const failed = Object.entries(failures).map(([error, count]) => `${count} × ${error}`);
  return [
    ...(ended === undefined ? [] : [`the platform ended: ${ended}`]),
    ...(failed.length === 0 ? [] : [`calls of the bystander failed: ${failed.join(", ")}`]),
    ...(p99Milliseconds < goals.p99Milliseconds ? [] : [`p99 is not below ${goals.p99Milliseconds} ms`]),
    ...(peakRssMiB < goals.rssMiB ? [] : [`memory is not below ${goals.rssMiB} MiB`]),
  ];
}
