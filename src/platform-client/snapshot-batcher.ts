import type { Clock } from "#src/time/clock.ts";
import { type ListScope, resourcesPerPage } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { PlatformFailure } from "./failure.ts";
import { satisfies, type Snapshot, type SnapshotRequirement } from "./snapshots.ts";

/** What the batcher reads of a collection view. */
export interface SnapshotView {
  readonly size: number;
  snapshotOf(parent: string): Snapshot | undefined;
}

export interface SnapshotBatcherOptions {
  readonly viewOf: (collection: ManagedCollection) => SnapshotView;
  /** The root that a group is within. @throws outside all roots. */
  readonly rootAbove: (collection: ManagedCollection, group: string) => string;
  /** Lists one scope completely into the collection's view. */
  readonly list: (collection: ManagedCollection, scope: ListScope) => Promise<void>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface Batch {
  readonly parents: Set<string>;
  readonly done: Promise<void>;
}

/** Requests within this time of the first one share its lists. */
const batchMs = 20;
/** A list during which something was created or deleted is not stable; after this many lists the caller retries later. */
const maxAttempts = 3;

/**
 * Joins requests for snapshots into batches, one batch per collection and root. When many objects are applied at once,
 * each of them needs to know its siblings; one list of the root then serves them all.
 */
export class SnapshotBatcher {
  readonly #options: SnapshotBatcherOptions;
  /** The batches that can still be joined, by collection and root. */
  readonly #batches = new Map<string, Batch>();

  constructor(options: SnapshotBatcherOptions) {
    this.#options = options;
  }

  /**
   * Resolves once a snapshot of the children of `parent` meets `requirement`.
   * @throws {PlatformFailure} if the list failed, if `parent` is outside all roots, or of kind `noResponse` if no stable
   * snapshot was obtained in three attempts.
   */
  async ensure(collection: ManagedCollection, parent: string, requirement: SnapshotRequirement): Promise<void> {
    const root = this.#options.rootAbove(collection, parent);
    const satisfied = () => satisfies(this.#options.viewOf(collection).snapshotOf(parent), requirement);
    for (let attempt = 0; attempt < maxAttempts && !satisfied(); attempt += 1)
      await this.#join(collection, root, parent);
    if (!satisfied())
      throw new PlatformFailure(`list ${collection.name}`, {
        kind: "noResponse",
        message: "resources were created or deleted while the list was read",
      });
  }

  /** Joins the open batch, or opens one. */
  #join(collection: ManagedCollection, root: string, parent: string): Promise<void> {
    const key = `${collection.name} ${root}`;
    const open = this.#batches.get(key);
    if (open !== undefined) {
      open.parents.add(parent);
      return open.done;
    }
    const parents = new Set([parent]);
    const done = this.#options.clock
      .sleep(batchMs, this.#options.signal)
      // The batch closes when its list starts: a later request may require a snapshot that started later.
      .finally(() => this.#batches.delete(key))
      .then(() => this.#list(collection, root, parents));
    this.#batches.set(key, { parents, done });
    return done;
  }

  /** Lists the children of each parent, or everything below the root where that takes fewer calls. */
  async #list(collection: ManagedCollection, root: string, parents: ReadonlySet<string>): Promise<void> {
    const view = this.#options.viewOf(collection);
    const pagesOfRoot = Math.ceil(Math.max(view.size, 1) / resourcesPerPage);
    if (parents.has(root) || parents.size > pagesOfRoot || view.snapshotOf(root) === undefined)
      await this.#options.list(collection, { descendantsOf: root });
    else for (const parent of parents) await this.#options.list(collection, { childrenOf: parent });
  }
}
