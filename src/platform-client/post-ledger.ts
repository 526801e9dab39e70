import type { MonotonicTime } from "./collection-view.ts";

/**
 * Which POSTs this process has sent, by the natural key of what they make. After a POST with an unknown outcome an
 * absence is believed only from a list begun once the request can no longer land.
 */
export class PostLedger {
  readonly #unknown = new Map<string, MonotonicTime>();
  readonly #posted = new Set<string>();
  readonly #lost = new Set<string>();
  #underWay = 0;
  #aborted = false;

  /** Runs one POST and remembers how it ended. `happened` tells a failure that proves nothing was made. */
  async track<T>(
    key: string,
    now: () => MonotonicTime,
    post: () => Promise<T>,
    provesNothingHappened: (error: unknown) => boolean,
  ): Promise<T> {
    const firstWithThisKey = !this.#posted.has(key);
    const sentAt = now();
    this.#posted.add(key);
    this.#unknown.set(key, sentAt);
    this.#underWay += 1;
    try {
      const made = await post();
      this.#unknown.delete(key);
      return made;
    } catch (error) {
      if (provesNothingHappened(error)) {
        this.#unknown.delete(key);
        if (firstWithThisKey) this.#posted.delete(key);
      } else {
        // Another POST with this key may have ended meanwhile, and known nothing of this one.
        this.#unknown.set(key, sentAt);
        this.#lost.add(key);
      }
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }

  /** When the last POST with this key was sent whose outcome is unknown. */
  unknownSince(key: string): MonotonicTime | undefined {
    return this.#unknown.get(key);
  }

  /** Whether something with this key may have been made by this process. */
  mayHaveCreated(key: string): boolean {
    return this.#posted.has(key);
  }

  /** Whether the answer to a POST with this key was ever lost, so that more than one thing may have been made. */
  mayHaveCreatedTwice(key: string): boolean {
    return this.#lost.has(key);
  }

  /** Whether any POST's outcome is unknown. */
  get unsettled(): boolean {
    return this.#unknown.size > 0;
  }

  /** What the POST makes has been seen: its outcome is known. */
  settle(key: string): void {
    this.#unknown.delete(key);
  }

  /** To be called when calls are aborted on the way out. */
  noteAbort(): void {
    this.#aborted ||= this.#underWay > 0;
  }

  /** Whether a request of ours may still land after this process has ended. */
  get mayStillTakeEffect(): boolean {
    return this.#aborted || this.#underWay > 0 || this.#unknown.size > 0;
  }
}
