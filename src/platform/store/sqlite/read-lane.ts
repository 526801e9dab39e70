import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Share } from "../../shares/share.ts";
import type { Reader } from "../database.ts";
import { type Job, JobQueue, type NextJob } from "../job-queue.ts";
import { PausingReader } from "./pausing-reader.ts";

/** A connection that only reads. */
export interface ReadConnection extends Reader {
  exec(sql: string): void;
  rollbackIfOpen(): void;
  close(): void;
}

/**
 * The reads of one connection. They run in a transaction, because this process or a command may commit a write between two
 * statements of a read. The reads of one turn of the event loop share a transaction and run one after the other.
 */
export class ReadLane {
  readonly #connection: ReadConnection;
  readonly #maximumPauses: number;
  readonly #reads = new JobQueue<PausingReader>({ endOfTurn, batchTime: 5, runBatch: (next) => this.#run(next) });

  /** @param maximumPauses how often a read may pause before it is given up; no limit by default */
  constructor(connection: ReadConnection, maximumPauses = Number.POSITIVE_INFINITY) {
    this.#connection = connection;
    this.#maximumPauses = maximumPauses;
  }

  /** Runs the work in a transaction. @throws LongReadError if it was given up */
  read<T>(work: (reader: PausingReader) => Promise<T>, shares: readonly Share[]): Promise<T> {
    return this.#reads.add(work, shares);
  }

  /** Completes the reads that were accepted, then closes the connection. */
  async close(): Promise<void> {
    await this.#reads.idle();
    this.#connection.close();
  }

  async #run(next: NextJob<PausingReader>): Promise<void> {
    let job: Job<PausingReader> | undefined;
    try {
      this.#connection.exec("begin");
      let free = performance.now();
      for (job = next(); job !== undefined; job = next()) {
        const reader = new PausingReader(this.#connection, free, this.#maximumPauses);
        await settle(job, reader);
        free = reader.free;
      }
      this.#connection.exec("commit");
    } catch (error) {
      this.#connection.rollbackIfOpen();
      for (job ??= next(); job !== undefined; job = next()) job.reject(error);
    }
  }
}

/** Whatever the work makes of a statement that was refused, its result is not that of the read. */
function settle({ run, reject }: Job<PausingReader>, reader: PausingReader): Promise<void> {
  return run(reader).then(
    (resolve) => (reader.givenUp === undefined ? resolve() : reject(reader.givenUp)),
    (error: unknown) => reject(reader.givenUp ?? error),
  );
}
