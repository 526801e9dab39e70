import { randomFillSync } from "node:crypto";
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** What is written together (bytes). */
const chunk = 1024 * 1024;

/**
 * A file next to a SQLite file that takes space from the disk, and gives it back when the disk is full, so that the most important
 * writes still succeed. Its bytes are random: a file system may store zeros, or holes, without the space.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #size: number;

  /** @param path of the file @param size in bytes */
  constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
  }

  /**
   * Makes the file complete, if as much space as it takes is left after that. Never throws.
   * @returns whether it is complete
   */
  fill(): boolean {
    try {
      const has = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (has >= this.#size) return true;
      if (this.#free() < 2 * this.#size - has) return false;
      this.#write();
      return true;
    } catch {
      // Others filled the disk meanwhile, or it cannot be written at all.
      this.release();
      return false;
    }
  }

  /** Gives the space back to the disk. Never throws. */
  release(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The disk cannot be written at all, as with one that is read-only.
    }
  }

  /** The space (bytes) that this process may use. */
  #free(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#path));
    return bavail * bsize;
  }

  #write(): void {
    const bytes = Buffer.alloc(Math.min(chunk, this.#size));
    const descriptor = openSync(this.#path, "w", 0o600);
    try {
      for (let left = this.#size; left > 0; ) {
        const written = writeSync(descriptor, randomFillSync(bytes), 0, Math.min(left, bytes.length));
        left -= written;
      }
    } finally {
      closeSync(descriptor);
    }
  }
}
