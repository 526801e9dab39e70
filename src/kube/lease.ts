import type { KubeApi } from "./api.ts";
import type { Clock } from "./clock.ts";

/**
 * How leadership was come by: nobody held the Lease before (`created`), its holder had given it back (`released`), or
 * it ran out, so that a request of the former holder may still be under way (`expired`).
 */
export type Acquisition = "created" | "released" | "expired";

export interface LeaseOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process: two processes of one identity would both lead. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** How long others wait after the last renewal that they saw; default 15 s. */
  readonly durationMs?: number;
  /** A leader that could not renew for so long stops; default 10 s. */
  readonly renewDeadlineMs?: number;
  /** Between two attempts; default 2 s. */
  readonly retryPeriodMs?: number;
  /** A failed attempt, for the log. */
  readonly onError?: (error: unknown) => void;
}

export interface Leadership {
  readonly acquired: Acquisition;
  /** Aborted with a `LeaseLost` the moment that leadership can no longer be relied on. */
  readonly signal: AbortSignal;
  /**
   * Stops renewing, and gives the Lease back unless `release` is false: a leader that had to abort a write of unknown
   * outcome lets it run out instead, so that the next one waits.
   */
  stop(options: { readonly release: boolean }): Promise<void>;
}

export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}
