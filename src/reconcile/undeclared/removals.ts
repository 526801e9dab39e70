import type { PlatformSession } from "#src/platform-client/session.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { RemovalHistory } from "./removal-history.ts";

/** The removals in one group that one session has attempted since its last resync. */
interface Attempts {
  readonly attempted: Set<string>;
  /** Resources that were found to be named when their turn came. */
  readonly named: Set<string>;
  pausedUntil: MonotonicTime;
}

/** After this number of removals, the group lets others go first for a moment: a reconcile has a bounded number of steps. */
const removalsAtOnce = 10;
const pauseMs = 100;
/** The removals beyond this number are forgotten, the oldest first: a session that has not listed the group since shows them. */
const maxRemoved = 50_000;

/**
 * What was removed, and what was attempted.
 *
 * A removal is a fact, whichever session made it: every session that sees the group believes it until a list that started
 * afterwards shows the resource. Attempts are those of one session, and are forgotten at its next resync.
 */
export class Removals {
  /** By session, then by the uid of the group. */
  readonly #attempts = new WeakMap<PlatformSession, Map<string, Attempts>>();
  /** By uid, in the order of the removals. */
  readonly #removed = new Map<string, MonotonicTime>();
  readonly #history = new RemovalHistory();

  /** The session was listed: what failed before is attempted again. */
  forgetAttempts(session: PlatformSession): void {
    this.#attempts.delete(session);
  }

  wasAttempted(session: PlatformSession, group: string, uid: string): boolean {
    return this.#find(session, group)?.attempted.has(uid) === true;
  }

  /** Until when others go first; 0 if they do not. */
  pausedUntil(session: PlatformSession, group: string): MonotonicTime {
    return this.#find(session, group)?.pausedUntil ?? 0;
  }

  recordAttempt(session: PlatformSession, group: string, uid: string, now: MonotonicTime): void {
    const attempts = this.#of(session, group);
    attempts.attempted.add(uid);
    if (attempts.attempted.size % removalsAtOnce === 0) attempts.pausedUntil = now + pauseMs;
  }

  /** @param recurrenceKey what the resource is, whatever its uid; undefined if it is not known. */
  recordRemoved(uid: string, recurrenceKey: string | undefined, now: MonotonicTime): void {
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size >= maxRemoved) this.#removed.delete(oldest);
    this.#removed.set(uid, now);
    if (recurrenceKey !== undefined) this.#history.record(recurrenceKey, now);
  }

  /** Whether the resource was removed after the list that showed it had started. */
  isRemoved(uid: string, listedAt: MonotonicTime): boolean {
    const removedAt = this.#removed.get(uid);
    return removedAt !== undefined && removedAt >= listedAt;
  }

  /** The times of the removals of the last hour, by recurrence key. */
  recent(now: MonotonicTime): ReadonlyMap<string, readonly MonotonicTime[]> {
    return this.#history.recent(now);
  }

  /** Records that an object names the resource. It is spared until the next resync. */
  recordNamed(session: PlatformSession, group: string, uid: string): void {
    this.#of(session, group).named.add(uid);
  }

  wasNamed(session: PlatformSession, group: string, uid: string): boolean {
    return this.#find(session, group)?.named.has(uid) === true;
  }

  #find(session: PlatformSession, group: string): Attempts | undefined {
    return this.#attempts.get(session)?.get(group);
  }

  #of(session: PlatformSession, group: string): Attempts {
    const ofSession = this.#attempts.get(session) ?? new Map<string, Attempts>();
    this.#attempts.set(session, ofSession);
    const attempts = ofSession.get(group) ?? { attempted: new Set(), named: new Set(), pausedUntil: 0 };
    ofSession.set(group, attempts);
    return attempts;
  }
}
