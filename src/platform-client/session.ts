import type { PlatformApi } from "./api.ts";
import { CollectionView, type MonotonicTime, type ResourceKeys } from "./collection-view.ts";
import { isRefusal, PlatformFailure, provesNoEffect } from "./failure.ts";
import { listAll } from "./list-all.ts";
import { PostLedger } from "./post-ledger.ts";
import { type Permissions, type RoleCatalog, readPermissions } from "./permissions.ts";
import { type CollectionName, listCapability, type ExternalResources } from "./external-resource.ts";
import { isWithin, parentOf } from "./uid.ts";

export interface SessionOptions {
  readonly api: PlatformApi;
  /** The uid of the identity that the session acts as. */
  readonly identity: string;
  /** The groups below which the session works. */
  readonly roots: readonly string[];
  /** Counts token exchanges: rights are read again under a new token. */
  readonly credentialEpoch: () => number;
  readonly keys: { readonly [C in CollectionName]: ResourceKeys<ExternalResources[C]> };
  /** Milliseconds of a monotonic clock. */
  readonly now: () => MonotonicTime;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Asked before each write: false once another process may be the leader. */
  readonly canWrite: () => boolean;
}

/** What a list must satisfy to answer a question. */
export interface SnapshotRequirement {
  readonly startedAfter: MonotonicTime;
  /** Needed to believe an absence after a POST with unknown outcome. */
  readonly stable: boolean;
}

interface PermissionsRead {
  readonly rights: Permissions;
  readonly roles: RoleCatalog;
  /** Roots that could not be read, with the reason: nothing is believed or written below them. */
  readonly unreadable: ReadonlyMap<string, unknown>;
  readonly epoch: number;
  readonly readAt: MonotonicTime;
}

type Views = { readonly [C in CollectionName]: CollectionView<ExternalResources[C]> };
/** A scope was listed whole; `changed` are the uids that came, went missing or differ, other than by our own writes. */
export type SnapshotListener = (collection: CollectionName, changed: readonly string[]) => void;

/**
 * How long a group that this process has made is known to hold nothing but what this process made there. Long enough
 * for a tree that is applied at once, short enough that nobody has moved in by hand.
 */
const freshGroupMs = 60_000;
/** Lookups that come within this time of each other share a list. */
const gatherMs = 20;
const rowsPerPage = 200;
/** Rights that did not suffice are read again after this time at the earliest. */
const rightsRetryMs = 1_000;

/**
 * One credential's window on the platform: its rights, its view of each collection, and the only way to write. All
 * that it answers is recorded in the views before the caller goes on.
 */
export class PlatformSession {
  readonly views: Views;
  readonly posts = new PostLedger();
  readonly #options: SessionOptions;
  /** Lists being gathered for or read, by collection and root, with the groups whose children they were asked for. */
  readonly #gathering = new Map<string, { readonly wanted: Set<string>; readonly done: Promise<void> }>();
  readonly #madeGroups = new Map<string, MonotonicTime>();
  readonly #listeners: SnapshotListener[] = [];
  readonly #accessListeners: (() => void)[] = [];
  #permissionsRead: PermissionsRead | undefined;
  #readingPermissions: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.views = {
      groups: new CollectionView(options.keys.groups),
      identities: new CollectionView(options.keys.identities),
      roleBindings: new CollectionView(options.keys.roleBindings),
    };
  }

  /** Told of each complete list, before anybody who waited for it goes on. */
  onSnapshot(listener: SnapshotListener): void {
    this.#listeners.push(listener);
  }

  /** Told when rights and roles have been read under a new token. */
  onPermissionsChanged(listener: () => void): void {
    this.#accessListeners.push(listener);
  }

  get permissions(): Permissions | undefined {
    return this.#permissionsRead?.rights;
  }

  get roles(): RoleCatalog | undefined {
    return this.#permissionsRead?.roles;
  }

  /** Whether this process has just made the group: then nothing is in it but what this process made there. */
  createdRecently(group: string): boolean {
    const madeAt = this.#madeGroups.get(group);
    if (madeAt === undefined) return false;
    if (this.#options.now() < madeAt + freshGroupMs) return true;
    this.#madeGroups.delete(group);
    return false;
  }

  /** Reads rights and roles unless they were read under the present token. @throws {PlatformFailure} */
  async refreshPermissions(): Promise<void> {
    if (this.#permissionsRead !== undefined && this.#permissionsRead.epoch === this.#options.credentialEpoch()) return;
    await this.#rereadPermissions();
  }

  /** Reads rights and roles again, because what was read did not suffice. @throws {PlatformFailure} */
  async #rereadPermissions(): Promise<void> {
    this.#readingPermissions ??= (async () => {
      const { api, identity, roots, now, signal, credentialEpoch } = this.#options;
      const read = await readPermissions(api, identity, signal);
      const unreadable = new Map<string, unknown>();
      for (const root of roots) await api.get("groups", root, signal).catch((error) => unreadable.set(root, error));
      const before = this.#permissionsRead;
      this.#permissionsRead = { ...read, unreadable, epoch: credentialEpoch(), readAt: now() };
      if (before?.epoch !== this.#permissionsRead.epoch) for (const listener of this.#accessListeners) listener();
    })().finally(() => {
      this.#readingPermissions = undefined;
    });
    await this.#readingPermissions;
  }

  /**
   * Resolves once the children of `parent` were listed whole, by a list that meets `demand`. One list serves all that
   * wait; of lists of single groups and of a whole root the cheaper is made.
   * @throws {PlatformFailure} also of kind `rights`, where the answer would prove nothing.
   */
  async ensureSnapshot(collection: CollectionName, parent: string, demand: SnapshotRequirement): Promise<void> {
    const root = this.#rootAbove(collection, parent);
    for (let attempt = 0; attempt < 3 && !this.#meets(collection, parent, demand); attempt += 1)
      await this.#gather(collection, root, parent);
    if (!this.#meets(collection, parent, demand))
      throw new PlatformFailure(`list ${collection}`, {
        kind: "noResponse",
        message: "things came and went while the list was read",
      });
  }

  #meets(collection: CollectionName, parent: string, demand: SnapshotRequirement): boolean {
    const coverage = this.views[collection].snapshotOf(parent);
    return coverage !== undefined && coverage.startedAt >= demand.startedAfter && (coverage.stable || !demand.stable);
  }

  #gather(collection: CollectionName, root: string, parent: string): Promise<void> {
    const name = `${collection} ${root}`;
    const under = this.#gathering.get(name);
    if (under !== undefined) {
      under.wanted.add(parent);
      return under.done;
    }
    const wanted = new Set([parent]);
    const done = this.#options
      .sleep(gatherMs)
      // From here on it is too late to join: who comes while the list is read may need a later one.
      .finally(() => this.#gathering.delete(name))
      .then(() => this.#listFor(collection, root, wanted));
    this.#gathering.set(name, { wanted, done });
    return done;
  }

  /** Lists the children of `parents` by the cheaper way: group by group, or all below the root. */
  async #listFor(collection: CollectionName, root: string, parents: ReadonlySet<string>): Promise<void> {
    const view = this.views[collection];
    const pagesOfRoot = Math.ceil(Math.max(view.size, 1) / rowsPerPage);
    if (parents.has(root) || parents.size > pagesOfRoot || view.snapshotOf(root) === undefined)
      await this.list(collection, { descendantsOf: root });
    else for (const parent of parents) await this.list(collection, { childrenOf: parent });
  }

  #rootAbove(collection: CollectionName, uid: string): string {
    const root = this.#options.roots.find((candidate) => isWithin(uid, candidate));
    if (root !== undefined) return root;
    throw new PlatformFailure(`list ${collection}`, {
      kind: "permissions",
      capability: listCapability[collection],
      scope: uid,
    });
  }

  /** Lists one scope whole into the view. @throws {PlatformFailure} */
  async list(
    collection: CollectionName,
    scope: { readonly descendantsOf: string } | { readonly childrenOf: string },
  ): Promise<void> {
    const group = "descendantsOf" in scope ? scope.descendantsOf : scope.childrenOf;
    await this.#requireRight(collection, group);
    const startedAt = this.#options.now();
    const { rows, stable: stable } = await listAll(this.#options.api, collection, { scope }, this.#options.signal);
    // Rights may have been lost while the list was read; under less right it would look like absence.
    await this.#requireRight(collection, group);
    for (const row of rows) this.#settlePost(collection, row);
    const changed = this.#view(collection).recordSnapshot(scope, rows, startedAt, stable);
    for (const listener of this.#listeners) listener(collection, changed);
  }

  /**
   * Reads one resource. Its absence is recorded only where it is proven: a group above it can be read, under rights
   * that would show the resource if it were there.
   * @throws {PlatformFailure} where nothing could be learned.
   */
  async read(collection: CollectionName, uid: string): Promise<void> {
    const startedAt = this.#options.now();
    try {
      const row = await this.#options.api.get(collection, uid, this.#options.signal);
      this.#recordRow(collection, row, startedAt);
    } catch (error) {
      if (!isRefusal(error, "NOT_FOUND")) throw error;
      await this.#proveAbsence(collection, uid);
      this.views[collection].recordGone(uid, startedAt);
    }
  }

  async #proveAbsence(collection: CollectionName, uid: string): Promise<void> {
    const { api, signal } = this.#options;
    const parent = parentOf(uid);
    const root = this.#rootAbove(collection, parent ?? uid);
    await this.#requireRight(collection, root);
    for (let above = parent; above !== undefined; above = parentOf(above)) {
      try {
        await api.get("groups", above, signal);
        return;
      } catch (error) {
        // A group that is gone took its children along; whether it is gone is decided one step further up.
        if (!isRefusal(error, "NOT_FOUND") || above === root) throw error;
      }
    }
  }

  /** @throws {PlatformFailure} unless the rights show all of `collection` in `group`, and the root above can be read. */
  async #requireRight(collection: CollectionName, group: string): Promise<void> {
    const capability = listCapability[collection];
    const root = this.#rootAbove(collection, group);
    const trouble = () =>
      this.#permissionsRead?.unreadable.get(root) ??
      (this.#permissionsRead?.rights.allow(capability, group)
        ? undefined
        : new PlatformFailure("read rights", { kind: "permissions", capability, scope: group }));
    await this.refreshPermissions();
    if (trouble() !== undefined && this.#options.now() >= (this.#permissionsRead?.readAt ?? 0) + rightsRetryMs)
      await this.#rereadPermissions();
    const found = trouble();
    if (found !== undefined) throw found;
  }

  /** Makes one thing below `parent`; `key` is its natural key. @throws {PlatformFailure} */
  async create(
    collection: CollectionName,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<void> {
    const { api, now, signal } = this.#options;
    this.#requireLeadership(`create ${collection}`);
    const keys: ResourceKeys<ExternalResources[CollectionName]> = this.#options.keys[collection];
    const row = await this.posts.track(
      key,
      now,
      async () => {
        const made = await api.create(collection, parent, body, signal);
        if (keys.naturalKey(made) === key) return made;
        // Not found again, it would be made again: so what became of the request is not known.
        throw new PlatformFailure(`create ${collection}`, {
          kind: "noResponse",
          message: "the answer is not what was asked for",
        });
      },
      isHarmless,
    );
    const at = now();
    this.#recordRow(collection, row, at);
    if (collection === "groups") this.#madeGroups.set(row.uid, at);
  }

  /** @throws {PlatformFailure} */
  async update(
    collection: CollectionName,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
  ): Promise<void> {
    this.#requireLeadership(`update ${collection}`);
    try {
      const row = await this.#options.api.update(collection, uid, body, mask, this.#options.signal);
      this.#recordRow(collection, row, this.#options.now());
    } catch (error) {
      if (!isHarmless(error) || isRefusal(error, "NOT_FOUND")) this.views[collection].recordStale(uid);
      throw error;
    }
  }

  /** Success where the thing is gone afterwards, also where it was gone before and that is proven. @throws {PlatformFailure} */
  async delete(collection: CollectionName, uid: string): Promise<void> {
    this.#requireLeadership(`delete ${collection}`);
    try {
      await this.#options.api.delete(collection, uid, this.#options.signal);
    } catch (error) {
      if (!isRefusal(error, "NOT_FOUND")) {
        if (!isHarmless(error)) this.views[collection].recordStale(uid);
        throw error;
      }
      await this.#proveAbsence(collection, uid);
    }
    this.views[collection].recordGone(uid, this.#options.now());
  }

  #recordRow<C extends CollectionName>(collection: C, row: ExternalResources[C], at: MonotonicTime): void {
    this.#settlePost(collection, row);
    this.#view(collection).recordRow(row, at);
  }

  /** A POST whose answer was lost has landed, once what it makes is seen. */
  #settlePost<C extends CollectionName>(collection: C, row: ExternalResources[C]): void {
    if (!this.posts.unsettled) return;
    const keys: ResourceKeys<ExternalResources[C]> = this.#options.keys[collection];
    const key = keys.naturalKey(row);
    if (key !== undefined) this.posts.settle(key);
  }

  #view<C extends CollectionName>(collection: C): CollectionView<ExternalResources[C]> {
    return this.views[collection];
  }

  #requireLeadership(call: string): void {
    if (!this.#options.canWrite()) throw new PlatformFailure(call, { kind: "paused", retryAfterMs: 0 });
  }
}

function isHarmless(error: unknown): boolean {
  return error instanceof PlatformFailure && provesNoEffect(error.problem);
}
