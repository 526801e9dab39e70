import { BoundedCache } from "../../limits/bounded-cache.ts";
import type { Share } from "../../shares/share.ts";
import type { Reader } from "../database.ts";
import { LongReadError } from "./pausing-reader.ts";
import { type ReadConnection, ReadLane } from "./read-lane.ts";

/** How often a read may pause, every 5 ms, before it counts as long. A page of 200 resources takes less than 5 ms. */
const pausesOfShortRead = 3;
const maximumLongReaders = 1_000;

/**
 * Two lanes, so that a short read waits for at most a part of a long one, while long reads wait for each other. A read that takes
 * long in the lane for short reads is given up and runs again, from its start, in the other lane. The next reads of its caller begin
 * there, until one of them was short.
 */
export class ReadLanes {
  readonly #short: ReadLane;
  readonly #long: ReadLane;
  /** The keys of the callers whose last reads were long. */
  readonly #longReaders = new BoundedCache<string, true>({ entries: maximumLongReaders, bytes: 1024 * 1024 });

  /** @param openConnection is called once for each lane */
  constructor(openConnection: () => ReadConnection) {
    this.#short = new ReadLane(openConnection(), pausesOfShortRead);
    this.#long = new ReadLane(openConnection());
  }

  /** Runs the work in a transaction. */
  read<T>(work: (reader: Reader) => Promise<T>, shares: readonly Share[]): Promise<T> {
    const caller = shares.at(-1)?.key ?? "";
    if (this.#longReaders.get(caller) !== undefined) return this.#readLong(work, shares, caller);
    return this.#short.read(work, shares).catch((error: unknown) => {
      if (!(error instanceof LongReadError)) throw error;
      this.#longReaders.set(caller, true, 2 * caller.length);
      return this.#readLong(work, shares, caller);
    });
  }

  /** Completes the reads that were accepted, then closes the connections. */
  async close(): Promise<void> {
    await this.#short.close();
    await this.#long.close();
  }

  #readLong<T>(work: (reader: Reader) => Promise<T>, shares: readonly Share[], caller: string): Promise<T> {
    return this.#long.read(
      (reader) =>
        work(reader).finally(() => {
          if (reader.pauses <= pausesOfShortRead) this.#longReaders.delete(caller);
        }),
      shares,
    );
  }
}
