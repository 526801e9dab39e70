import { isDeepStrictEqual } from "node:util";
import type { ExternalResource, ManagedCollection } from "./collection.ts";
import type { CollectionView } from "./collection-view.ts";

export interface SharedReadsOptions {
  readonly collections: readonly ManagedCollection[];
  readonly viewOf: (collection: ManagedCollection) => CollectionView<ExternalResource>;
  /** Reads one resource into its view, or proves that it is absent. */
  readonly read: (collection: ManagedCollection, uid: string) => Promise<void>;
  /** Called with what a read shows to have changed: no later list shows that as a change. */
  readonly onChanged: (collection: ManagedCollection, uid: string) => void;
}

/** Reads of resources on which objects of other kinds depend. Callers that wait for the same resource share one read. */
export class SharedReads {
  readonly #options: SharedReadsOptions;
  /** By uid: at most one for each caller that waits. */
  readonly #inFlight = new Map<string, Promise<void>>();

  constructor(options: SharedReadsOptions) {
    this.#options = options;
  }

  /** Reads a resource of the collection with this name. @throws {Error} if there is no such collection */
  async read(type: string, uid: string): Promise<void> {
    const collection = this.#options.collections.find(({ name }) => name === type);
    if (collection === undefined) throw new Error(`the session was created without ${type}`);
    const reading =
      this.#inFlight.get(uid) ?? this.readAlone(collection, uid).finally(() => this.#inFlight.delete(uid));
    this.#inFlight.set(uid, reading);
    await reading;
  }

  /** Reads a resource with a read of its own, which nobody else has waited for: it starts now. */
  async readAlone(collection: ManagedCollection, uid: string): Promise<void> {
    const { viewOf, read, onChanged } = this.#options;
    const before = viewOf(collection).stateOf(uid);
    await read(collection, uid);
    const after = viewOf(collection).stateOf(uid);
    if (before.is !== "present" || (after.is === "present" && isDeepStrictEqual(before.resource, after.resource)))
      return;
    onChanged(collection, uid);
  }
}
