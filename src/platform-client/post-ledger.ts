import type { MonotonicTime } from "#src/time/clock.ts";
import { hours } from "#src/time/durations.ts";

/** A POST as it is sent. */
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

/** How long it is remembered what POSTs created: several times as long as the lists of a session that can write are used. */
const retentionMs = hours(1);

/**
 * The POSTs of this process, by the natural key of what they create. A POST is not idempotent: after one with an unknown
 * outcome, absence is believed only from a list that started after the request can no longer take effect; and after one
 * that succeeded, a session that does not know what it created believes only a list that started later.
 *
 * An entry expires with its settle time: the first list of the parent that starts later shows everything that the POST
 * created, and from then on nothing else is attributed to it. Whatever appears afterwards was created by somebody else.
 *
 * Caveat: what a POST created is forgotten after an hour. A session whose lists are older than that, because the platform
 * has rejected all of them since, could prove with one of them that it is absent.
 */
export class PostLedger {
  readonly #settleMs: number;
  readonly #entries = new Map<string, Entry>();
  /** The latest creation with each key, the oldest first. */
  readonly #creations = new Map<string, Creation>();
  #inFlight = 0;
  #aborted = false;

  /** @param settleMs how long after it was sent a POST may still take effect. */
  constructor(settleMs: number) {
    this.#settleMs = settleMs;
  }

  /**
   * Sends one POST and records its outcome.
   * @param provesNoEffect whether a failure proves that nothing was created.
   * @throws what `send` throws.
   */
  async track<T>(post: Post, send: () => Promise<T>, provesNoEffect: (error: unknown) => boolean): Promise<T> {
    this.#prune(post.sentAt);
    const earlier = this.#entries.get(post.key);
    const entry: Entry = {
      ...post,
      unknown: true,
      created: new Set(earlier?.created),
      seen: new Set(earlier?.seen),
      settled: false,
    };
    this.#entries.set(post.key, entry);
    this.#inFlight += 1;
    const forget = () => {
      if (this.#entries.get(post.key) !== entry) return;
      if (earlier === undefined) this.#entries.delete(post.key);
      else this.#entries.set(post.key, earlier);
    };
    try {
      const created = await send();
      forget();
      return created;
    } catch (error) {
      if (provesNoEffect(error)) forget();
      // Set again, because another POST with this key may have succeeded meanwhile and removed the entry.
      else this.#entries.set(post.key, entry);
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
    return entry.unknown || !entry.seen.values().every(knows) ? entry.sentAt : undefined;
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
      if (creation.at >= at - retentionMs) break;
      this.#creations.delete(earliest);
    }
  }

  /**
   * When a POST with this key last created something that the caller does not know; undefined if it knows it, or if none
   * did within the last hour. What another session created is not in the lists of the caller that started before.
   */
  createdUnseenAt(key: string, knows: (uid: string) => boolean): MonotonicTime | undefined {
    const creation = this.#creations.get(key);
    return creation === undefined || knows(creation.uid) ? undefined : creation.at;
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
    if (!entry.settled) entry.seen.add(uid);
    // A list that starts much later shows what others have created since.
    if (!entry.settled && readAt <= entry.sentAt + 2 * this.#settleMs) entry.created.add(uid);
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
    return this.#aborted || this.#inFlight > 0 || this.#entries.values().some(isUnsettled);
  }

  #prune(now: MonotonicTime): void {
    for (const [key, { settled, sentAt }] of this.#entries)
      if (settled && sentAt < now - retentionMs) this.#entries.delete(key);
  }
}
