import type { Resource } from "./list-all.ts";

/** The writes of a round that the platform acknowledged. */
export class AcknowledgedWrites {
  readonly #created = new Map<string, { readonly resource: Resource; readonly at: number }>();
  readonly #deleted = new Map<string, number>();
  readonly #awaited = new Set<{ readonly count: number; readonly resolve: () => void }>();
  #count = 0;
  /** Deletions that were sent. Without a response they may or may not have happened. */
  readonly deletionSent = new Set<string>();

  /** What was created, by uid, and when that was acknowledged (`performance.now()`). */
  get created(): ReadonlyMap<string, { readonly resource: Resource; readonly at: number }> {
    return this.#created;
  }

  /** When deletions were acknowledged, by uid. */
  get deleted(): ReadonlyMap<string, number> {
    return this.#deleted;
  }

  /** The number of resources that were created, and of responses to deletions. */
  get count(): number {
    return this.#count;
  }

  addCreated(resources: readonly Resource[]): void {
    for (const resource of resources) this.#created.set(resource.uid, { resource, at: performance.now() });
    this.#add(resources.length);
  }

  /** @param uids what one deletion deleted */
  addDeleted(uids: readonly string[]): void {
    for (const uid of uids) this.#deleted.set(uid, performance.now());
    this.#add(1);
  }

  /** Resolves as soon as there are so many. */
  async reach(count: number): Promise<void> {
    if (this.#count < count) await new Promise<void>((resolve) => this.#awaited.add({ count, resolve }));
  }

  #add(more: number): void {
    this.#count += more;
    for (const one of this.#awaited)
      if (one.count <= this.#count) {
        this.#awaited.delete(one);
        one.resolve();
      }
  }
}
