import type { Logger } from "pino";
import type { WallClock } from "#src/time/wall-clock.ts";
import type { Database } from "../store/database.ts";
import { nameOf } from "./author.ts";
import { EventAllowance, type AllowanceLimits, windowMs } from "./event-allowance.ts";
import { RecordQueue } from "./record-queue.ts";
import {
  causeOf,
  classOf,
  type EventClass,
  messageOf,
  omissionOf,
  type SecurityEvent,
  sharesOf,
  type WaitingEvent,
} from "./security-event.ts";

/**
 * How many events are recorded and logged in each minute. Those that are left out are counted. The totals are those of ten full
 * networks, root groups or admins, and a rest: fewer cannot hide the events of others.
 */
const limits: Readonly<Record<EventClass, AllowanceLimits>> = {
  anonymous: { ofCause: 10, ofShare: { address: 30, network: 60 }, ofAll: 600 },
  identity: { ofCause: 10, ofShare: { identity: 100, rootGroup: 200 }, ofAll: 2_000 },
  admin: { ofCause: 10, ofShare: { identity: 200 }, ofAll: 2_000 },
};

export interface SecurityLogOptions {
  readonly database: Database;
  readonly log: Logger;
  readonly clock: WallClock;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
}

/**
 * Records what matters for security and changes no resource: in the audit log and, at info, in the log of the process. Both are
 * limited per cause and per source. To record an event, call `record`; one that belongs to a change, `writeWithEvent`.
 */
export class SecurityLog {
  readonly #log: Logger;
  readonly #clock: WallClock;
  readonly #monotonic: () => number;
  readonly #queue: RecordQueue;
  readonly #allowances: Readonly<Record<EventClass, EventAllowance<SecurityEvent>>> = {
    anonymous: new EventAllowance(limits.anonymous),
    identity: new EventAllowance(limits.identity),
    admin: new EventAllowance(limits.admin),
  };
  #timer: NodeJS.Timeout | undefined;
  #omittedEvents = 0;

  constructor({ database, log, clock, monotonic }: SecurityLogOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.#queue = new RecordQueue({ database, log, clock, onDropped: () => (this.#omittedEvents += 1) });
  }

  /** How many events were left out since the start. */
  get omittedEvents(): number {
    return this.#omittedEvents;
  }

  /** Records an event soon, in a transaction of its own together with others. Never throws and does not wait. */
  record(event: SecurityEvent): void {
    const admitted = this.admit(event);
    if (admitted === undefined) return;
    this.#queue.add(admitted);
    this.report(admitted);
  }

  /**
   * Counts an event that the caller inserts in its own transaction, and reports after that: call `writeWithEvent`.
   * @returns undefined if the event is left out
   */
  admit(event: SecurityEvent): WaitingEvent | undefined {
    const allowance = this.#allowances[classOf(event)];
    if (allowance.admits(event, causeOf(event), sharesOf(event), this.#monotonic()))
      return { event, time: this.#clock(), omitted: 0 };
    this.#omittedEvents += 1;
    this.#timer ??= setTimeout(() => this.#reportOmitted(), windowMs).unref();
    return undefined;
  }

  /** Logs an event that was recorded. */
  report({ event, omitted }: WaitingEvent): void {
    const { action, author, uid, method, code, reason, address, fields } = event;
    const known = {
      ...(code === 0 ? {} : { code, cause: reason }),
      ...(uid === "" ? {} : { resource: uid }),
      ...(author.kind === "anonymous" ? {} : { caller: nameOf(author) }),
      ...(address === "" ? {} : { address }),
      ...(omitted === 0 ? {} : { omitted }),
    };
    this.#log.info({ operation: method, ...known, ...fields }, messageOf[action]);
  }

  /** Records what was left out and what waits. */
  async close(): Promise<void> {
    this.#reportOmitted();
    clearTimeout(this.#timer);
    await this.#queue.close();
  }

  #reportOmitted(): void {
    this.#timer = undefined;
    const time = this.#clock();
    let others = 0;
    for (const allowance of Object.values(this.#allowances)) {
      if (!allowance.hasOmitted) continue;
      const omitted = allowance.takeOmitted(this.#monotonic());
      others += omitted.others;
      for (const { last, omitted: count } of omitted.ofCauses)
        this.#recordOmitted({ event: last, time, omitted: count });
    }
    // Of their causes, no event was recorded.
    if (others > 0) this.#recordOmitted({ event: omissionOf(""), time, omitted: others });
  }

  #recordOmitted(waiting: WaitingEvent): void {
    this.#queue.add(waiting);
    this.report(waiting);
  }
}
