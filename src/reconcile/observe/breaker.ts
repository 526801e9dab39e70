import type { CollectionView } from "#src/platform-client/collection-view.ts";
import type { ExternalResource } from "#src/platform-client/collection.ts";

/** An open breaker: what a person sees, and confirms. */
export interface OpenBreaker {
  /** Identifies this opening. A confirmation of an earlier one has no effect. */
  readonly id: string;
  readonly missing: number;
}

/**
 * The uids of one Tenant and kind whose re-creation is paused, because too many resources were missing at once. A person
 * confirms the re-creation of all of them by the id. How many are too many is a matter of policy (`policy/breaker.ts`).
 */
export class Breaker {
  readonly #held = new Set<string>();
  /** Missing resources whose re-creation a person confirmed. They do not count again. */
  readonly #confirmed = new Set<string>();
  readonly #newId: () => string;
  #id: string | undefined;

  /** @param newId returns a text that it never returned before. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /**
   * Assesses the collection after it was listed.
   * @param managed the uids that objects record in their status.
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
      if (external.is === "present") this.release(uid);
      else if (external.is !== "unknown" && !this.#confirmed.has(uid)) missing.push(uid);
    }
    if (opens(missing.length, managed.length)) for (const uid of missing) this.#held.add(uid);
    this.#id = this.#held.size === 0 ? undefined : (this.#id ?? this.#newId());
  }

  /** Holds one more resource, which another breaker held. */
  hold(uid: string): void {
    this.#held.add(uid);
    this.#id ??= this.#newId();
  }

  holds(uid: string): boolean {
    return this.#held.has(uid);
  }

  /** The resource exists again, or no object claims it any longer. */
  release(uid: string): void {
    this.#confirmed.delete(uid);
    if (this.#held.delete(uid) && this.#held.size === 0) this.#id = undefined;
  }

  /** @returns the uids that may now be re-created; none if `id` is not that of the open breaker. */
  confirm(id: string): readonly string[] {
    if (id !== this.#id) return [];
    const confirmed = [...this.#held];
    for (const uid of confirmed) this.#confirmed.add(uid);
    this.#held.clear();
    this.#id = undefined;
    return confirmed;
  }

  /** Whether it holds nothing, and nothing that was confirmed is still missing. */
  get isIdle(): boolean {
    return this.#held.size === 0 && this.#confirmed.size === 0;
  }

  /** Undefined while the breaker is closed. */
  get open(): OpenBreaker | undefined {
    return this.#id === undefined ? undefined : { id: this.#id, missing: this.#held.size };
  }
}
