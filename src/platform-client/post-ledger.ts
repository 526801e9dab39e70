import type { MonotonicTime } from "#src/time/clock.ts";

/**
 * The POSTs that this process has sent, by the natural key of what they create. A POST is not idempotent: after one with
 * an unknown outcome, absence is believed only from a list that started after the request can no longer take effect.
 */
export class PostLedger {
  /** When the last POST of each key was sent whose outcome is unknown, those in flight included. */
  readonly #unknown = new Map<string, MonotonicTime>();
  readonly #posted = new Set<string>();
  readonly #lost = new Set<string>();
  #inFlight = 0;
  #aborted = false;

  /**
   * Sends one POST and records its outcome.
   * @param provesNoEffect whether a failure proves that nothing was created.
   * @throws what `post` throws.
   */
  async track<T>(
    key: string,
    sentAt: MonotonicTime,
    post: () => Promise<T>,
    provesNoEffect: (error: unknown) => boolean,
  ): Promise<T> {
    const firstWithThisKey = !this.#posted.has(key);
    this.#posted.add(key);
    this.#unknown.set(key, sentAt);
    this.#inFlight += 1;
    try {
      const created = await post();
      this.#unknown.delete(key);
      return created;
    } catch (error) {
      if (provesNoEffect(error)) {
        this.#unknown.delete(key);
        if (firstWithThisKey) this.#posted.delete(key);
      } else {
        // Set again, because another POST with this key may have succeeded meanwhile and deleted the entry.
        this.#unknown.set(key, sentAt);
        this.#lost.add(key);
      }
      throw error;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** When the last POST with this key and an unknown outcome was sent. */
  unknownSince(key: string): MonotonicTime | undefined {
    return this.#unknown.get(key);
  }

  /** Whether this process may have created a resource with this key. */
  mayHaveCreated(key: string): boolean {
    return this.#posted.has(key);
  }

  /** Whether the response to a POST with this key was ever lost, so that more than one resource may have been created. */
  mayHaveCreatedTwice(key: string): boolean {
    return this.#lost.has(key);
  }

  /** Whether the outcome of any POST is unknown. */
  get unsettled(): boolean {
    return this.#unknown.size > 0;
  }

  /** Records that a resource with this key was seen: the outcome of its POST is known. */
  settle(key: string): void {
    this.#unknown.delete(key);
  }

  /** Must be called before the calls in flight are aborted at shutdown. */
  noteAbort(): void {
    this.#aborted ||= this.#inFlight > 0;
  }

  /** Whether a POST of ours may still take effect after this process has ended. */
  get mayStillTakeEffect(): boolean {
    return this.#aborted || this.#inFlight > 0 || this.#unknown.size > 0;
  }
}
