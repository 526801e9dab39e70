import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/external-resource.ts";

export interface BreakerLimits {
  /** It opens when at least so many things of one collection are missing … */
  readonly objects: number;
  /** … and they are at least this share of those that we manage, in 0 to 1. */
  readonly share: number;
}

/**
 * Holds back the making anew of what is gone when much disappears at once: then it is rather we who see wrongly, or
 * somebody who cleaned up on purpose, than an accident that a machine should undo. A person lets it go on, object by
 * object.
 */
export class Breaker {
  readonly #limits: BreakerLimits;
  readonly #held = new Set<string>();

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
  }

  /** Judges one collection after it was listed: `managed` are the uids that resources stand for by their status. */
  assess(view: CollectionView<ExternalResource>, managed: readonly string[]): void {
    const missing: string[] = [];
    for (const uid of managed) {
      const knowledge = view.know(uid).is;
      if (knowledge === "present") this.#held.delete(uid);
      else if (knowledge !== "unknown") missing.push(uid);
    }
    if (missing.length >= this.#limits.objects && missing.length >= managed.length * this.#limits.share)
      for (const uid of missing) this.#held.add(uid);
  }

  holds(uid: string): boolean {
    return this.#held.has(uid);
  }

  /** The resource that stood for `uid` stands for another, or for none. */
  release(uid: string): void {
    this.#held.delete(uid);
  }

  get size(): number {
    return this.#held.size;
  }
}
