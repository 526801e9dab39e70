import type { Clock } from "#src/time/clock.ts";
import { groupOfScope, type ListScope, type PlatformApi } from "./api.ts";
import type { ExternalResource, ManagedCollection, ResourceType } from "./collection.ts";
import { listAll } from "./list-all.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import type { SessionViews } from "./session-views.ts";

/**
 * Receives each snapshot, and a group that was found to be gone: `changed` are the uids that appeared, changed or disappeared
 * other than by our own writes, and `scope` is what was listed, if it is a snapshot.
 */
export type SnapshotListener = (collection: ManagedCollection, changed: readonly string[], scope?: ListScope) => void;

/**
 * The resources of a list that was made, once permissions that are read after the list confirm that it is complete. Several
 * lists can be made before the first is confirmed: one read then confirms all of them.
 * @returns undefined if the identity lacks the capability: what the list lacks may exist. @throws {PlatformFailure}
 */
export type Peek<R> = () => Promise<readonly R[] | undefined>;

/** A list that was made. It confirms that the list is complete, and returns what records it. */
type Unconfirmed = () => Promise<() => void>;

export interface SessionListsOptions {
  readonly api: PlatformApi;
  readonly permissions: SessionPermissions;
  readonly views: SessionViews;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The lists of a session. A list counts only under permissions that were held before it, and read again after it. */
export class SessionLists {
  readonly #options: SessionListsOptions;
  readonly #listeners: SnapshotListener[] = [];

  constructor(options: SessionListsOptions) {
    this.#options = options;
  }

  onSnapshot(listener: SnapshotListener): void {
    this.#listeners.push(listener);
  }

  notify(collection: ManagedCollection, changed: readonly string[], scope?: ListScope): void {
    for (const listener of this.#listeners) listener(collection, changed, scope);
  }

  /** Records a snapshot of the scope. */
  async list(collection: ManagedCollection, scope: ListScope): Promise<void> {
    const confirm = await this.#listUnconfirmed(collection, scope);
    const record = await confirm();
    record();
  }

  /**
   * Records a snapshot of each scope for each collection, each in a turn of the event loop of its own: to compare a large list with what is
   * known takes long.
   * @returns the outcomes of the collections, in their order, for each scope. The failure of one does not prevent the others.
   */
  async listTogether(
    collections: readonly ManagedCollection[],
    scopes: readonly ListScope[],
  ): Promise<readonly (readonly PromiseSettledResult<void>[])[]> {
    const { clock } = this.#options;
    const ofScopes: Unconfirmed[][] = [];
    for (const scope of scopes) {
      const confirmations: Unconfirmed[] = [];
      for (const collection of collections)
        confirmations.push(
          await this.#listUnconfirmed(collection, scope).catch((error: unknown) => () => Promise.reject(error)),
        );
      ofScopes.push(confirmations);
    }
    const confirmed = await Promise.all(
      ofScopes.map((confirmations) => Promise.allSettled(confirmations.map((confirm) => confirm()))),
    );
    const recorded: PromiseSettledResult<void>[][] = [];
    for (const ofScope of confirmed) {
      const outcomes: PromiseSettledResult<void>[] = [];
      for (const outcome of ofScope)
        if (outcome.status === "rejected") outcomes.push(outcome);
        else outcomes.push(...(await Promise.allSettled([clock.turn().then(outcome.value)])));
      recorded.push(outcomes);
    }
    return recorded;
  }

  /** Lists a scope of any type, also above the roots, without recording it. @throws {PlatformFailure} */
  async peek<R extends ExternalResource>(
    type: ResourceType<R>,
    capability: string,
    scope: ListScope,
  ): Promise<Peek<R>> {
    const { api, permissions, signal } = this.#options;
    const group = groupOfScope(scope);
    const isAllowed = () => permissions.permissions?.allow(capability, group) === true;
    await permissions.refresh();
    if (!isAllowed()) return async () => undefined;
    const { resources } = await listAll(api, type, { scope }, signal);
    const { readsStarted } = permissions;
    return async () => {
      await permissions.readAfter(readsStarted);
      return isAllowed() ? resources : undefined;
    };
  }

  async #listUnconfirmed(collection: ManagedCollection, scope: ListScope): Promise<Unconfirmed> {
    const { api, permissions, views, clock, signal } = this.#options;
    const group = groupOfScope(scope);
    await permissions.requireList(collection, group);
    const startedAt = clock.monotonic();
    const list = await listAll(api, collection, { scope }, signal);
    const { readsStarted } = permissions;
    return async () => {
      await permissions.requireListAfter(readsStarted, collection, group);
      return () => this.notify(collection, views.recordSnapshot(collection, scope, list, startedAt), scope);
    };
  }
}
