import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Logger } from "pino";
import { minutes, seconds } from "#src/time/durations.ts";
import type { WallClock } from "#src/time/wall-clock.ts";
import { nextRecords } from "../audit/read-records.ts";
import { jsonOf } from "../audit/record-message.ts";
import type { NameResolver } from "../names/name-resolver.ts";
import { type Database, statement } from "../store/database.ts";
import { ExportLease, exportPosition, leaseMs } from "./export-state.ts";
import { requestTimeoutMs, Webhook, type WebhookOptions } from "./webhook.ts";

/** The records of one request: all of them are in memory. */
const batch = { limit: 500, maximumBytes: 1024 * 1024 };

/** How long a platform that stops waits for the response to a request. */
const closeTimeoutMs = seconds(3);

export interface AuditExportOptions {
  readonly database: Database;
  readonly webhook: WebhookOptions;
  readonly names: NameResolver;
  readonly clock: WallClock;
  readonly log: Logger;
  readonly delays?: ExportDelays;
}

/** How long the export waits, in milliseconds. */
export interface ExportDelays {
  /** For new records. */
  readonly poll: number;
  /** For the lease, while another replica has it. */
  readonly standby: number;
  /** After the first failure; twice as long after each further one, up to the maximum. */
  readonly retry: number;
  readonly maximumRetry: number;
  /** For a response. */
  readonly request: number;
}

const defaultDelays: ExportDelays = {
  poll: seconds(1),
  standby: seconds(5),
  retry: seconds(1),
  maximumRetry: minutes(1),
  request: requestTimeoutMs,
};

/**
 * Sends the audit log to a webhook, in order and at least once: the position is stored after the receiver has accepted the
 * records. One of the replicas exports at a time. A record that retention deletes before it was exported is not sent.
 */
export class AuditExport {
  readonly #options: AuditExportOptions;
  readonly #delays: ExportDelays;
  readonly #webhook: Webhook;
  readonly #lease: ExportLease;
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  readonly #running: Promise<void>;
  /** When the lease ends, on the monotonic clock. */
  #leaseEnd = Number.NEGATIVE_INFINITY;
  #exported = 0;
  #failures = 0;
  #failuresInRow = 0;

  constructor(options: AuditExportOptions) {
    this.#options = options;
    this.#delays = options.delays ?? defaultDelays;
    this.#webhook = new Webhook(options.webhook, options.names, this.#delays.request);
    this.#lease = new ExportLease(options.database, randomUUID());
    this.#running = this.#run();
  }

  /** How many records this replica has sent. */
  get exported(): number {
    return this.#exported;
  }

  /** How many requests of this replica have failed. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds since the oldest record that was not exported; 0 if all were. The same on all replicas. */
  lag(): Promise<number> {
    const { database, clock } = this.#options;
    return database.read(async (tx) => {
      const next = await tx.first(oldestAfter, { position: await exportPosition(tx) });
      return next === undefined ? 0 : Math.max(0, clock() - next.time);
    });
  }

  /** Stops after the request that is in progress, or aborts it after some seconds. What was not accepted is sent later. */
  async close(): Promise<void> {
    this.#stopping.abort();
    const timer = globalThis.setTimeout(() => this.#aborting.abort(), closeTimeoutMs);
    await this.#running;
    clearTimeout(timer);
    await this.#webhook.close();
    await this.#lease.release().catch((error: unknown) => this.#options.log.warn({ err: error }, releaseFailed));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const delay = await this.#step().catch((error: unknown) => this.#failed(error));
      if (delay > 0) await setTimeout(delay, undefined, { signal }).catch(() => {});
    }
  }

  /** Sends the next records. @returns how long to wait */
  async #step(): Promise<number> {
    const { database, clock, log } = this.#options;
    // A request must have ended before another replica can take over.
    if (performance.now() > this.#leaseEnd - 2 * this.#delays.request) {
      const taken = performance.now();
      if (!(await this.#lease.take(clock()))) return this.#delays.standby;
      this.#leaseEnd = taken + leaseMs;
    }
    const records = await database.read(async (tx) => nextRecords(tx, await exportPosition(tx), batch));
    const last = records.at(-1);
    if (last === undefined) return this.#delays.poll;
    const body = records.map((record) => `${JSON.stringify(jsonOf(record))}\n`).join("");
    await this.#webhook.send(body, clock(), this.#aborting.signal);
    this.#exported += records.length;
    if (this.#failuresInRow > 0) log.info({ failures: this.#failuresInRow }, "the export of audit records works again");
    this.#failuresInRow = 0;
    const advanced = performance.now();
    const isHeld = await this.#lease.advance(last.sequence, clock());
    this.#leaseEnd = isHeld ? advanced + leaseMs : Number.NEGATIVE_INFINITY;
    return 0;
  }

  /** @returns how long to wait */
  #failed(error: unknown): number {
    if (this.#stopping.signal.aborted) return 0;
    const { retry, maximumRetry } = this.#delays;
    const wait = Math.min(retry * 2 ** Math.min(this.#failuresInRow, 20), maximumRetry);
    this.#failures += 1;
    this.#failuresInRow += 1;
    this.#options.log.warn({ err: error, retryInMs: wait }, "exporting audit records failed; it is retried");
    return wait;
  }
}

const releaseFailed = "the lease on the export of audit records could not be released; it ends by itself";

const oldestAfter = statement((db, p: { position: number }) =>
  db.selectFrom("audit_log").select("time").where("sequence", ">", p.position).orderBy("sequence").limit(1),
);
