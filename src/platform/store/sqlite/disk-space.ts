import { DatabaseUnavailableError } from "../database.ts";
import type { DiskReserve } from "./disk-reserve.ts";

/** How often it is determined whether a full disk has space again (ms). */
const interval = 1_000;
/** How often it is determined whether there is space for a reserve that is missing, while writes succeed (ms). */
const intervalOfMissing = 60_000;
/** SQLITE_FULL. */
const full = 13;

/** A write failed, or was not tried, because the disk is full. */
export class DiskFullError extends DatabaseUnavailableError {
  override readonly name = "DatabaseUnavailableError";
}

/** Whether SQLite failed because the disk, or the file, is full. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === full;
}

/** A change of the reserve that whoever looks after the disk has to know. */
export type DiskEvent = "no space for the reserve" | "reserve released" | "reserve complete";

/**
 * The space for the writes of a database. When the disk is full, the reserve is released, and only reserved writes are admitted, until
 * the disk has enough space to fill the reserve again. A disk without space for the reserve at the start serves all writes as long as it can,
 * and the reserve is filled when there is space.
 */
export class DiskSpace {
  readonly #reserve: Pick<DiskReserve, "fill" | "release"> | undefined;
  readonly #monotonic: () => number;
  readonly #report: (event: DiskEvent) => void;
  #isFull = false;
  #isMissing: boolean;
  #lookedAt: number;

  /** @param reserve undefined for a database whose writes are all the same @param monotonic milliseconds since an arbitrary start */
  constructor(
    reserve: Pick<DiskReserve, "fill" | "release"> | undefined,
    monotonic: () => number,
    report: (event: DiskEvent) => void,
  ) {
    this.#reserve = reserve;
    this.#monotonic = monotonic;
    this.#report = report;
    this.#lookedAt = monotonic();
    this.#isMissing = reserve?.fill() === false;
    if (this.#isMissing) report("no space for the reserve");
  }

  /** Takes note that a write has failed because the disk is full. @returns whether reserved writes may succeed now */
  ranOut(): boolean {
    if (this.#reserve === undefined) return false;
    this.#reserve.release();
    if (!this.#isFull) this.#report("reserve released");
    this.#isFull = true;
    this.#isMissing = true;
    this.#lookedAt = this.#monotonic();
    return true;
  }

  /** @throws DiskFullError unless writes that are not reserved are admitted */
  requireSpace(): void {
    if (!this.#isMissing) return;
    const now = this.#monotonic();
    if (now - this.#lookedAt >= (this.#isFull ? interval : intervalOfMissing)) {
      this.#lookedAt = now;
      if (this.#reserve?.fill() === true) {
        this.#isFull = false;
        this.#isMissing = false;
        this.#report("reserve complete");
      }
    }
    if (this.#isFull) throw new DiskFullError("the disk is full; only what takes something away is written");
  }
}
