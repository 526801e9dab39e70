import * as z from "zod";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import type { Suspension } from "./suspension.ts";
import { externalText, externalUid, type ResourceType } from "./collection.ts";
import { PlatformFailure, type PlatformProblem } from "./failure.ts";
import { GatheredReads } from "./gathered-reads.ts";
import type { GovernedApi } from "./governed-api.ts";
import { recordedOwner } from "./owner-record.ts";
import { childUids } from "./uid.ts";

export interface OwnerCheckOptions {
  /** The API under the credential of the operator: its outage keeps every session from writing. */
  readonly api: GovernedApi;
  /** The uid of the operator's identity. */
  readonly identity: string;
  /** The owner that its description must record. */
  readonly owner: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What the identity's description records. */
interface Check {
  readonly recorded: string | undefined;
  readonly readAt: MonotonicTime;
}

type OwnerProblem = Extract<PlatformProblem, { kind: "ownerMismatch" }>;

/** Another cluster may take the identity over at any time; who only creates or describes notices within this time. */
const validMs = minutes(1);
/** A mismatch is read again after this time at the earliest, because a person may have corrected it. */
const mismatchRetryMs = 5_000;

const identities = {
  name: "identities",
  api: "iam/v2beta1",
  schema: z.object({ uid: externalUid, description: externalText }),
  uids: childUids,
} satisfies ResourceType;

/**
 * Lets writes through only while the operator's identity records this operator as its owner. The identity is read before
 * the first write, and again when a minute has passed: at rest there is no write, and so no read. Before a write that takes
 * something away it is read in any case.
 */
export class OwnerCheck {
  readonly #options: OwnerCheckOptions;
  #last: Check | undefined;
  #reading: Promise<Check> | undefined;
  readonly #newReads: GatheredReads<"owner", Check>;
  /** How many times a mismatch has ended. */
  #corrections = 0;
  readonly #listeners = new Set<() => void>();

  constructor(options: OwnerCheckOptions) {
    this.#options = options;
    this.#newReads = new GatheredReads({ ...options, read: () => this.#readAfterCurrent() });
    options.api.suspension.onChange((outage) => {
      if (outage === undefined) this.#notify();
    });
  }

  /** The suspension of the calls of the operator's credential, whose recoveries count here. */
  get suspension(): Suspension {
    return this.#options.api.suspension;
  }

  /** Increases each time that writes may be let through again: a mismatch ended, or an outage of the operator's credential. */
  get recoveries(): number {
    return this.#corrections + this.#options.api.suspension.recoveries;
  }

  /** Calls `listener` each time that `recoveries` has increased, until `signal` aborts. */
  onRecovery(listener: () => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener("abort", () => this.#listeners.delete(listener), { once: true });
  }

  /** The owner that was recorded when the identity was last read, if it was not this one. Null: none was recorded. */
  get mismatch(): { readonly recorded: string | null } | undefined {
    if (this.#last === undefined || this.#last.recorded === this.#options.owner) return undefined;
    return { recorded: this.#last.recorded ?? null };
  }

  /** The mismatch as the problem of a write. */
  get problem(): OwnerProblem | undefined {
    return this.#last === undefined || this.mismatch === undefined
      ? undefined
      : problemOf(this.#options.owner, this.#last);
  }

  /** @throws {PlatformFailure} of kind `ownerMismatch`, or the failure of reading the identity. */
  async require(): Promise<void> {
    const { clock, owner } = this.#options;
    let check = this.#last;
    if (
      check === undefined ||
      clock.monotonic() >= check.readAt + (check.recorded === owner ? validMs : mismatchRetryMs)
    )
      check = await this.#read();
    if (check.recorded !== owner) throw new PlatformFailure("check owner", problemOf(owner, check));
  }

  /**
   * As `require`, but only a read that starts after this call lets the write through: one that is in flight may be older than
   * the decision to write. One read serves all callers that wait for it to start, which is within a tenth of a second.
   */
  async requireByNewRead(): Promise<void> {
    if (this.mismatch !== undefined) {
      const askedAt = this.#options.clock.monotonic();
      await this.require();
      if (this.#last !== undefined && this.#last.readAt >= askedAt) return;
    }
    await this.#newReads.join("owner");
    await this.require();
  }

  async #readAfterCurrent(): Promise<Check> {
    await this.#reading?.catch(() => undefined);
    return this.#read();
  }

  /** One read serves all writes that wait for it. */
  async #read(): Promise<Check> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<Check> {
    const { api, identity, clock, signal } = this.#options;
    const readAt = clock.monotonic();
    const { description } = await api.get(identities, identity, signal);
    const wasMismatch = this.mismatch !== undefined;
    const check = { recorded: recordedOwner(description), readAt };
    this.#last = check;
    if (wasMismatch && this.mismatch === undefined) {
      this.#corrections += 1;
      this.#notify();
    }
    return check;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

function problemOf(expected: string, { recorded }: Check): OwnerProblem {
  return { kind: "ownerMismatch", expected, recorded: recorded ?? null };
}
