import type { Logger } from "pino";
import { seconds } from "#src/time/durations.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { Database } from "../store/database.ts";
import { settleAll } from "../store/settle-all.ts";
import { Pool } from "../shares/pool.ts";
import { insertEvent } from "./audit-log.ts";
import { omissionOf, sharesOf, type WaitingEvent } from "./security-event.ts";
import { recordedNow } from "./time-order.ts";

/** More events are dropped and counted. Those who cause events share it. */
const maximumWaiting = 2_000;
/** The events of one transaction. */
const batchSize = 100;
/** How long an event waits for others. */
const delayMs = 250;
/** How long events wait after a failed write. */
const retryDelayMs = seconds(5);
/** How long a platform that stops tries to write what waits. */
const closeTimeoutMs = seconds(5);

export interface RecordQueueOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: WallClock;
  /** Observes that an event was dropped. */
  readonly onDropped: () => void;
}

/** Inserts events in batches, apart from the calls that cause them. Its length is bounded. */
export class RecordQueue {
  readonly #options: RecordQueueOptions;
  #waiting: WaitingEvent[] = [];
  readonly #places = new Pool(maximumWaiting);
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(options: RecordQueueOptions) {
    this.#options = options;
  }

  add(event: WaitingEvent): void {
    if (this.#places.take(sharesOf(event.event)) !== undefined) {
      this.#dropped += 1;
      this.#options.onDropped();
      return;
    }
    this.#waiting.push(event);
    this.#schedule(delayMs);
  }

  /** Writes what waits, for at most some seconds. */
  async close(): Promise<void> {
    // A batch that the timer begins while this method writes another would have the same events.
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const deadline = performance.now() + closeTimeoutMs;
    await this.#writing;
    while (this.#waiting.length > 0 && performance.now() < deadline) if (!(await this.#writeBatch())) break;
    const lost = this.#waiting.length + this.#dropped;
    if (lost > 0)
      this.#options.log.error({ lost }, "security events could not be recorded before the platform stopped");
  }

  #schedule(after: number): void {
    if (this.#isClosed || this.#timer !== undefined || this.#writing !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writeBatch();
      void this.#writing.then((written) => {
        this.#writing = undefined;
        if (this.#waiting.length > 0) this.#schedule(written ? 0 : retryDelayMs);
      });
    }, after).unref();
  }

  /** @returns whether it was written; otherwise the events keep waiting */
  async #writeBatch(): Promise<boolean> {
    const { database, log, clock } = this.#options;
    const batch = this.#waiting.slice(0, batchSize);
    const dropped = this.#dropped;
    const all =
      dropped === 0
        ? batch
        : [...batch, { event: omissionOf("the database could not be written"), time: clock(), omitted: dropped }];
    try {
      await database.write(
        async (tx) => {
          const now = clock();
          await settleAll(all.map((waiting) => insertEvent(tx, recordedNow(waiting, now))));
        },
        undefined,
        "reserved",
      );
    } catch (error) {
      log.error({ err: error }, "recording security events failed; it is retried");
      return false;
    }
    this.#waiting = this.#waiting.slice(batch.length);
    for (const { event } of batch) this.#places.giveBack(sharesOf(event));
    this.#dropped -= dropped;
    return true;
  }
}
