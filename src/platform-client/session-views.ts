import type { MonotonicTime } from "#src/time/clock.ts";
import { groupOfScope, type ListScope } from "./api.ts";
import type { ManagedCollection, ExternalResource } from "./collection.ts";
import { CollectionView } from "./collection-view.ts";
import type { CompleteList } from "./list-all.ts";
import type { PostLedger } from "./post-ledger.ts";
import { isWithin } from "./uid.ts";

/** Receives the name of the resource `uid`, which now has another one, or is gone. */
export type NameListener = (collection: ManagedCollection, name: string, uid: string) => void;

/**
 * A view of each collection, and the ledger of the POSTs. Every resource that the session sees is recorded in both: a POST
 * with a lost response is settled when what it creates is seen.
 */
export class SessionViews {
  readonly posts: PostLedger;
  readonly #views: ReadonlyMap<string, CollectionView<ExternalResource>>;

  constructor(collections: readonly ManagedCollection[], posts: PostLedger, onNameReleased: NameListener) {
    this.posts = posts;
    this.#views = new Map(
      collections.map((collection) => [
        collection.name,
        new CollectionView(collection, (name, uid) => onNameReleased(collection, name, uid)),
      ]),
    );
  }

  /** @throws {Error} if the session was not created with this collection. */
  viewOf(collection: ManagedCollection): CollectionView<ExternalResource> {
    const view = this.#views.get(collection.name);
    if (view === undefined) throw new Error(`the session has no view of ${collection.name}`);
    return view;
  }

  /** Records a resource that a GET or a write returned. */
  record(collection: ManagedCollection, resource: ExternalResource, at: MonotonicTime): void {
    this.#notePost(collection, resource, at);
    this.viewOf(collection).record(resource, at);
  }

  /** Records a complete list. @returns the uids that appeared, changed or disappeared. */
  recordSnapshot(
    collection: ManagedCollection,
    scope: ListScope,
    { resources, stable }: CompleteList<ExternalResource>,
    startedAt: MonotonicTime,
  ): string[] {
    for (const resource of resources) this.#notePost(collection, resource, startedAt);
    const group = groupOfScope(scope);
    const covers = (parent: string) => parent === group || ("descendantsOf" in scope && isWithin(parent, group));
    this.posts.listed(collection.name, covers, startedAt, stable);
    return this.viewOf(collection).recordSnapshot(scope, resources, startedAt, stable);
  }

  /**
   * Records the resources of a list that shows what it shows, and proves nothing about what it lacks.
   * @returns the uids that appeared or changed.
   */
  recordListed(
    collection: ManagedCollection,
    resources: readonly ExternalResource[],
    startedAt: MonotonicTime,
  ): string[] {
    for (const resource of resources) this.#notePost(collection, resource, startedAt);
    return this.viewOf(collection).recordListed(resources, startedAt);
  }

  #notePost(collection: ManagedCollection, resource: ExternalResource, readAt: MonotonicTime): void {
    if (!this.posts.tracks) return;
    const key = collection.naturalKeyOf(resource);
    if (key !== undefined) this.posts.seen(key, resource.uid, readAt);
  }
}
