import type { MonotonicTime } from "#src/time/clock.ts";
import type { ListScope } from "./api.ts";
import { CollectionView, type ResourceKeys } from "./collection-view.ts";
import type { CollectionName, ExternalResources } from "./external-resource.ts";
import type { CompleteList } from "./list-all.ts";
import { PostLedger } from "./post-ledger.ts";

export type KeysByCollection = { readonly [C in CollectionName]: ResourceKeys<ExternalResources[C]> };
type Views = { readonly [C in CollectionName]: CollectionView<ExternalResources[C]> };

/**
 * A view of each collection, and the ledger of the POSTs. Every resource that the session sees is recorded in both: a POST
 * with a lost response is settled when what it creates is seen.
 */
export class SessionViews {
  readonly views: Views;
  readonly posts = new PostLedger();
  readonly #keys: KeysByCollection;

  constructor(keys: KeysByCollection) {
    this.#keys = keys;
    this.views = {
      groups: new CollectionView(keys.groups),
      identities: new CollectionView(keys.identities),
      roleBindings: new CollectionView(keys.roleBindings),
    };
  }

  naturalKeyOf<C extends CollectionName>(collection: C, resource: ExternalResources[C]): string | undefined {
    const keys: ResourceKeys<ExternalResources[C]> = this.#keys[collection];
    return keys.naturalKey(resource);
  }

  /** Records a resource that a GET or a write returned. */
  record<C extends CollectionName>(collection: C, resource: ExternalResources[C], at: MonotonicTime): void {
    this.#settlePost(collection, resource);
    this.#view(collection).record(resource, at);
  }

  /** Records a complete list. @returns the uids that appeared, changed or disappeared. */
  recordSnapshot<C extends CollectionName>(
    collection: C,
    scope: ListScope,
    { resources, stable }: CompleteList<ExternalResources[C]>,
    startedAt: MonotonicTime,
  ): string[] {
    for (const resource of resources) this.#settlePost(collection, resource);
    return this.#view(collection).recordSnapshot(scope, resources, startedAt, stable);
  }

  #settlePost<C extends CollectionName>(collection: C, resource: ExternalResources[C]): void {
    if (!this.posts.unsettled) return;
    const key = this.naturalKeyOf(collection, resource);
    if (key !== undefined) this.posts.settle(key);
  }

  #view<C extends CollectionName>(collection: C): CollectionView<ExternalResources[C]> {
    return this.views[collection];
  }
}
