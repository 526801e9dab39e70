import { DatabaseUnavailableError } from "../database.ts";
import type { DiskReserve } from "./disk-reserve.ts";

/** How often it is determined whether a full disk has space again (ms). */
const interval = 1_000;
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

/**
 * The space for the writes of a database. When the disk is full, the reserve is released, and only reserved writes are admitted, until
 * the disk has so much space that the reserve can be filled again.
 */
export class DiskSpace {
  readonly #reserve: DiskReserve | undefined;
  readonly #monotonic: () => number;
  #isFull = false;
  #lookedAt = 0;

  /** @param reserve undefined for a database whose writes are all the same @param monotonic milliseconds since an arbitrary start */
  constructor(reserve: DiskReserve | undefined, monotonic: () => number) {
    this.#reserve = reserve;
    this.#monotonic = monotonic;
    reserve?.fill();
  }

  /** Takes note that a write has failed because the disk is full. @returns whether reserved writes may succeed now */
  ranOut(): boolean {
    if (this.#reserve === undefined) return false;
    this.#reserve.release();
    this.#isFull = true;
    this.#lookedAt = this.#monotonic();
    return true;
  }

  /** @throws DiskFullError unless writes that are not reserved are admitted */
  requireSpace(): void {
    if (!this.#isFull) return;
    const now = this.#monotonic();
    if (now - this.#lookedAt >= interval) {
      this.#lookedAt = now;
      this.#isFull = this.#reserve?.fill() === false;
    }
    if (this.#isFull) throw new DiskFullError("the disk is full; only what takes something away is written");
  }
}
