import type { MonotonicTime } from "#src/time/clock.ts";
import { hours } from "#src/time/durations.ts";
import type { ResourceType } from "./collection.ts";

/** A POST as it is sent, or another write that could take effect on what is created later: see `overwriteKey`. */
export interface Post {
  /** The natural key of what it creates. */
  readonly key: string;
  /** The name of the collection in which it creates something. */
  readonly collection: string;
  /** The group in which it creates something. */
  readonly parent: string;
  readonly sentAt: MonotonicTime;
  /** The uids that are known to have this key before the POST is sent: it does not create those. */
  readonly existing: readonly string[];
}

/**
 * The key of a PATCH or DELETE of the only resource that `group` can have in a collection: with an unknown outcome, it could
 * take effect on the next one, which has the same uid.
 */
export function overwriteKey({ name }: Pick<ResourceType, "name">, group: string): string {
  return `${name} ${group}`;
}

interface Entry extends Post {
  /** False once a resource with the key was seen. */
  unknown: boolean;
  /** The uids that came to be known while the POST could take effect. */
  readonly created: Set<string>;
  /** The uids with the key that any session saw before the POST was settled. */
  readonly seen: Set<string>;
  /** A later list showed everything that the POST created. */
  settled: boolean;
}

/** What a POST created. */
interface Creation {
  readonly uid: string;
  readonly at: MonotonicTime;
}

/** How long POSTs and what they created are remembered: several times as long as the lists of a session are used. */
const retentionMs = hours(1);

/** How much is remembered. */
export interface PostLedgerLimits {
  /** POSTs with an unknown outcome; by default 10,000, far more than are lost before calls are suspended. */
  readonly entries?: number;
  /** Creations; by default 30,000. */
  readonly creations?: number;
}

/** How many resources with the key of one POST are told apart. */
const maxEqual = 100;

/**
 * The POSTs of this process, by the natural key of what they create. A POST is not idempotent: after one with an unknown
 * outcome, absence is believed only from a list that started after the request can no longer take effect; and after one
 * that succeeded, a session that does not know what it created believes only a list that started later.
 *
 * An entry expires with its settle time: the first list of the parent that starts later shows everything that the POST
 * created, and from then on nothing else is attributed to it. Whatever appears afterwards was created by somebody else.
 *
 * Memory is bounded: POSTs and creations are forgotten after an hour, and the oldest when there are too many. To forget costs
 * lists and proves nothing: from then on, a session believes an absence only by a list that started after everything that is
 * forgotten had taken effect. After an hour, the lists of every resync have; after more than 30,000 creations in a few
 * minutes, a parent may have to be listed again.
 */
export class PostLedger {
  readonly #settleMs: number;
  readonly #entries = new Map<string, Entry>();
  /** The latest creation with each key, the oldest first. */
  readonly #creations = new Map<string, Creation>();
  readonly #limits: Required<PostLedgerLimits>;
  /** The latest time at which something that is forgotten was created, or can have been. */
  #forgottenAt: MonotonicTime | undefined;
  /** Until when a POST with an unknown outcome that is forgotten may take effect. */
  #forgottenUntil: MonotonicTime = 0;
  #inFlight = 0;
  #aborted = false;

  /** @param settleMs how long after it was sent a POST may still take effect. */
  constructor(settleMs: number, { entries = 10_000, creations = 30_000 }: PostLedgerLimits = {}) {
    this.#settleMs = settleMs;
    this.#limits = { entries, creations };
  }

  /**
   * Sends one POST and records its outcome.
   * @param provesNoEffect whether a failure proves that nothing was created.
   * @throws what `send` throws.
   */
  async track<T>(post: Post, send: () => Promise<T>, provesNoEffect: (error: unknown) => boolean): Promise<T> {
    const earlier = this.#entries.get(post.key);
    const entry: Entry = {
      ...post,
      unknown: true,
      created: new Set(earlier?.created),
      seen: new Set(earlier?.seen),
      settled: false,
    };
    this.#remember(entry, post.sentAt);
    this.#inFlight += 1;
    const forget = () => {
      if (this.#entries.get(post.key) !== entry) return;
      if (earlier === undefined) this.#entries.delete(post.key);
      else this.#remember(earlier, post.sentAt);
    };
    try {
      const created = await send();
      forget();
      return created;
    } catch (error) {
      if (provesNoEffect(error)) forget();
      // Set again, because another POST with this key may have succeeded meanwhile and removed the entry.
      else this.#remember(entry, post.sentAt);
      throw error;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** @returns a function that tells whether a POST with this key has been sent, or has succeeded, since this call. */
  watch(key: string): () => boolean {
    const [entry, creation] = [this.#entries.get(key), this.#creations.get(key)];
    return () => this.#entries.get(key) !== entry || this.#creations.get(key) !== creation;
  }

  /**
   * When the last POST with this key and an unknown outcome was sent.
   * @param knows whether the caller knows a resource. What another session has seen settles nothing for a session that has
   * not: its lists may be older than the POST, and would seem to prove that nothing was created.
   */
  unknownSince(key: string, knows: (uid: string) => boolean = () => true): MonotonicTime | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const isKnown = entry.seen.size < maxEqual && entry.seen.values().every(knows);
    return entry.unknown || !isKnown ? entry.sentAt : undefined;
  }

  /**
   * Records what a POST created, when its response arrives. To be called before the promise that `track` was given
   * resolves: at no moment in between is the POST neither in flight nor known to have succeeded.
   */
  created(key: string, uid: string, at: MonotonicTime): void {
    // The map stays in the order of the times.
    this.#creations.delete(key);
    this.#creations.set(key, { uid, at });
    for (const [earliest, creation] of this.#creations) {
      if (creation.at >= at - retentionMs && this.#creations.size <= this.#limits.creations) break;
      this.#creations.delete(earliest);
      this.#forget(creation.at);
    }
  }

  /**
   * When a POST with this key last created something that the caller does not know, or may have: what is forgotten may have
   * had this key. Undefined if the caller knows it, or if none did. What another session created is not in the lists of the
   * caller that started before.
   * @param since when the group was created in which it would be, at the earliest.
   */
  createdUnseenAt(
    key: string,
    knows: (uid: string) => boolean,
    since: MonotonicTime = Number.NEGATIVE_INFINITY,
  ): MonotonicTime | undefined {
    const creation = this.#creations.get(key);
    if (creation !== undefined) return knows(creation.uid) ? undefined : creation.at;
    return this.#forgottenAt !== undefined && this.#forgottenAt >= since ? this.#forgottenAt : undefined;
  }

  /** The uids of what POSTs with this key and a lost response created: several, if a POST took effect more than once. */
  createdBy(key: string): readonly string[] {
    return [...(this.#entries.get(key)?.created ?? [])];
  }

  /** Whether there is any entry. */
  get tracks(): boolean {
    return this.#entries.size > 0;
  }

  /**
   * Records that a resource with this key was seen: the outcome of its POST is known.
   * @param readAt when the read or the list started that showed it.
   */
  seen(key: string, uid: string, readAt: MonotonicTime): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.existing.includes(uid)) return;
    entry.unknown = false;
    if (entry.settled || entry.seen.size >= maxEqual) return;
    entry.seen.add(uid);
    // A list that starts much later shows what others have created since.
    if (readAt <= entry.sentAt + 2 * this.#settleMs) entry.created.add(uid);
  }

  /** Records a complete list, after everything that it showed was recorded with `seen`. */
  listed(collection: string, covers: (parent: string) => boolean, startedAt: MonotonicTime, stable: boolean): void {
    for (const entry of this.#entries.values())
      if (
        stable &&
        startedAt >= entry.sentAt + this.#settleMs &&
        entry.collection === collection &&
        covers(entry.parent)
      ) {
        entry.unknown = false;
        entry.settled = true;
      }
  }

  /** Must be called before the calls in flight are aborted at shutdown. */
  noteAbort(): void {
    this.#aborted ||= this.#inFlight > 0;
  }

  /** Whether a POST of ours may still take effect after this process has ended, which it does `now`. */
  mayStillTakeEffect(now: MonotonicTime): boolean {
    const isUnsettled = ({ unknown, sentAt }: Entry) => unknown && now < sentAt + this.#settleMs;
    return (
      this.#aborted || this.#inFlight > 0 || now < this.#forgottenUntil || this.#entries.values().some(isUnsettled)
    );
  }

  /** Adds the entry as the latest one, and forgets the oldest while they are too old or too many. */
  #remember(entry: Entry, now: MonotonicTime): void {
    this.#entries.delete(entry.key);
    this.#entries.set(entry.key, entry);
    for (const [key, { sentAt, unknown }] of this.#entries) {
      if (sentAt >= now - retentionMs && this.#entries.size <= this.#limits.entries) break;
      this.#entries.delete(key);
      const effectiveAt = sentAt + this.#settleMs;
      this.#forget(effectiveAt);
      if (unknown) this.#forgottenUntil = Math.max(this.#forgottenUntil, effectiveAt);
    }
  }

  #forget(createdAt: MonotonicTime): void {
    this.#forgottenAt = Math.max(this.#forgottenAt ?? createdAt, createdAt);
  }
}
