import { vi } from "vitest";
import type { Share } from "../shares/share.ts";
import type { Database, Reader, Writer } from "../store/database.ts";

/** A database that holds back the work of its callers while it is shut, and passes all of it on at once when it is opened. */
export class GatedDatabase implements Database {
  readonly #database: Database;
  #held: (() => void)[] | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  shut(): void {
    this.#held ??= [];
  }

  open(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const pass of held) pass();
  }

  /** How many reads and writes are held back. */
  get held(): number {
    return this.#held?.length ?? 0;
  }

  /** Resolves when at least this number of reads and writes is held back; fails after 20 s. */
  holds = (count: number) => vi.waitUntil(() => this.held >= count, { timeout: 20_000, interval: 5 });

  read<T>(work: (reader: Reader) => Promise<T>, shares?: readonly Share[]): Promise<T> {
    return this.#pass(() => this.#database.read(work, shares));
  }

  write<T>(work: (writer: Writer) => Promise<T>, shares?: readonly Share[]): Promise<T> {
    return this.#pass(() => this.#database.write(work, shares));
  }

  close(): Promise<void> {
    this.open();
    return this.#database.close();
  }

  #pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#held === undefined) return work();
    const { promise, resolve } = Promise.withResolvers<T>();
    this.#held.push(() => resolve(work()));
    return promise;
  }
}
