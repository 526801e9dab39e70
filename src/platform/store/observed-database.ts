import { sql } from "kysely";
import type { Share } from "../shares/share.ts";
import {
  type Database,
  DatabaseUnavailableError,
  type Reader,
  statement,
  type WritePriority,
  type Writer,
} from "./database.ts";

/** How often a write is tried while none succeeds (ms). */
const interval = 5_000;

/** Changes nothing, and is written as a change is. */
const anyChange = statement((db) => db.updateTable("facts").set({ value: sql<string>`value` }));

/** A database that observes whether its writes succeed. */
export class ObservedDatabase implements Database {
  readonly #database: Database;
  readonly #monotonic: () => number;
  #writesFail = false;
  #triedAt = Number.NEGATIVE_INFINITY;
  #isTrying = false;

  /** @param monotonic milliseconds since an arbitrary start */
  constructor(database: Database, monotonic: () => number) {
    this.#database = database;
    this.#monotonic = monotonic;
  }

  read<T>(work: (reader: Reader) => Promise<T>, shares?: readonly Share[]): Promise<T> {
    return this.#database.read(work, shares);
  }

  write<T>(
    work: (writer: Writer) => Promise<T>,
    shares?: readonly Share[],
    priority: WritePriority = "normal",
  ): Promise<T> {
    const result = this.#database.write(work, shares, priority);
    // Before the caller, who may ask for it.
    void result.then(priority === "normal" ? this.#succeeded : undefined, this.#failed);
    return result;
  }

  readonly #succeeded = () => {
    this.#writesFail = false;
  };

  readonly #failed = (error: unknown) => {
    if (error instanceof DatabaseUnavailableError) this.#writesFail = true;
  };

  close(): Promise<void> {
    return this.#database.close();
  }

  /**
   * Whether the last write could be committed; one that is reserved does not count. After one that could not, another one is tried, so
   * that the result follows the database although nobody writes. It may wait for a lock for longer than a probe waits for its response,
   * so it decides the results after this one.
   */
  isWritable(): boolean {
    if (this.#writesFail && !this.#isTrying && this.#monotonic() - this.#triedAt >= interval) void this.try();
    return !this.#writesFail;
  }

  /** Tries a write that changes nothing: at the start, nothing may have been written that takes space. Never throws. */
  async try(): Promise<void> {
    this.#isTrying = true;
    this.#triedAt = this.#monotonic();
    await this.write((writer) => writer.run(anyChange, {})).catch(() => {});
    this.#isTrying = false;
  }
}
