import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/**
 * The uids whose re-creation is paused, because too many resources were missing at once. A person continues it object
 * by object, with a request for a reconcile. How many are too many is a matter of policy (`policy/breaker.ts`).
 */
export class Breaker {
  readonly #held = new Set<string>();

  /**
   * Assesses one collection after it was listed.
   * @param managed the uids that objects claim by their status.
   * @param opens whether this number of missing resources, of those managed, opens the breaker.
   */
  assess(
    view: CollectionView<ExternalResource>,
    managed: readonly string[],
    opens: (missing: number, managed: number) => boolean,
  ): void {
    const missing: string[] = [];
    for (const uid of managed) {
      const external = view.stateOf(uid);
      if (external.is === "present") this.#held.delete(uid);
      else if (external.is !== "unknown") missing.push(uid);
    }
    if (opens(missing.length, managed.length)) for (const uid of missing) this.#held.add(uid);
  }

  holds(uid: string): boolean {
    return this.#held.has(uid);
  }

  /** No object claims `uid` any longer. */
  release(uid: string): void {
    this.#held.delete(uid);
  }

  get size(): number {
    return this.#held.size;
  }
}
