import type { PlatformApi } from "./api.ts";
import { CollectionView, type Moment, type RowKeys } from "./collection-view.ts";
import { isRefusal, PlatformFailure, provesNothingHappened } from "./failure.ts";
import { listAll } from "./list-all.ts";
import { PostLedger } from "./post-ledger.ts";
import { type Rights, type RoleCatalog, readRights } from "./rights.ts";
import { type Collection, listCapability, type Rows } from "./rows.ts";
import { isWithin, parentOf } from "./uid.ts";

export interface SessionOptions {
  readonly api: PlatformApi;
  /** The uid of the identity that the session acts as. */
  readonly identity: string;
  /** The groups below which the session works. */
  readonly roots: readonly string[];
  /** Counts token exchanges: rights are read again under a new token. */
  readonly credentialEpoch: () => number;
  readonly keys: { readonly [C in Collection]: RowKeys<Rows[C]> };
  /** Milliseconds of a monotonic clock. */
  readonly now: () => Moment;
  readonly sleep: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** Asked before each write: false once another process may be the leader. */
  readonly mayWrite: () => boolean;
}

/** What a list must satisfy to answer a question. */
export interface ListingDemand {
  readonly begunAfter: Moment;
  /** Needed to believe an absence after a POST with unknown outcome. */
  readonly steady: boolean;
}

interface Access {
  readonly rights: Rights;
  readonly roles: RoleCatalog;
  /** Roots that could not be read, with the reason: nothing is believed or written below them. */
  readonly unreadable: ReadonlyMap<string, unknown>;
  readonly epoch: number;
  readonly readAt: Moment;
}

type Views = { readonly [C in Collection]: CollectionView<Rows[C]> };
/** A scope was listed whole; `changed` are the uids that came, went missing or differ, other than by our own writes. */
export type ListingListener = (collection: Collection, changed: readonly string[]) => void;

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
  readonly #madeGroups = new Map<string, Moment>();
  readonly #listeners: ListingListener[] = [];
  readonly #accessListeners: (() => void)[] = [];
  #access: Access | undefined;
  #readingAccess: Promise<void> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.views = {
      groups: new CollectionView(options.keys.groups),
      identities: new CollectionView(options.keys.identities),
      roleBindings: new CollectionView(options.keys.roleBindings),
    };
  }

  /** Told of each complete list, before anybody who waited for it goes on. */
  onListing(listener: ListingListener): void {
    this.#listeners.push(listener);
  }

  /** Told when rights and roles have been read under a new token. */
  onNewAccess(listener: () => void): void {
    this.#accessListeners.push(listener);
  }

  get rights(): Rights | undefined {
    return this.#access?.rights;
  }

  get roles(): RoleCatalog | undefined {
    return this.#access?.roles;
  }

  /** Whether this process has just made the group: then nothing is in it but what this process made there. */
  madeLately(group: string): boolean {
    const madeAt = this.#madeGroups.get(group);
    if (madeAt === undefined) return false;
    if (this.#options.now() < madeAt + freshGroupMs) return true;
    this.#madeGroups.delete(group);
    return false;
  }

  /** Reads rights and roles unless they were read under the present token. @throws {PlatformFailure} */
  async readAccess(): Promise<void> {
    if (this.#access !== undefined && this.#access.epoch === this.#options.credentialEpoch()) return;
    await this.#rereadAccess();
  }

  /** Reads rights and roles again, because what was read did not suffice. @throws {PlatformFailure} */
  async #rereadAccess(): Promise<void> {
    this.#readingAccess ??= (async () => {
      const { api, identity, roots, now, signal, credentialEpoch } = this.#options;
      const read = await readRights(api, identity, signal);
      const unreadable = new Map<string, unknown>();
      for (const root of roots) await api.get("groups", root, signal).catch((error) => unreadable.set(root, error));
      const before = this.#access;
      this.#access = { ...read, unreadable, epoch: credentialEpoch(), readAt: now() };
      if (before?.epoch !== this.#access.epoch) for (const listener of this.#accessListeners) listener();
    })().finally(() => {
      this.#readingAccess = undefined;
    });
    await this.#readingAccess;
  }

  /**
   * Resolves once the children of `parent` were listed whole, by a list that meets `demand`. One list serves all that
   * wait; of lists of single groups and of a whole root the cheaper is made.
   * @throws {PlatformFailure} also of kind `rights`, where the answer would prove nothing.
   */
  async ensureListed(collection: Collection, parent: string, demand: ListingDemand): Promise<void> {
    const root = this.#rootAbove(collection, parent);
    for (let attempt = 0; attempt < 3 && !this.#meets(collection, parent, demand); attempt += 1)
      await this.#gather(collection, root, parent);
    if (!this.#meets(collection, parent, demand))
      throw new PlatformFailure(`list ${collection}`, {
        kind: "unanswered",
        problem: "things came and went while the list was read",
      });
  }

  #meets(collection: Collection, parent: string, demand: ListingDemand): boolean {
    const coverage = this.views[collection].coverage(parent);
    return coverage !== undefined && coverage.begunAt >= demand.begunAfter && (coverage.steady || !demand.steady);
  }

  #gather(collection: Collection, root: string, parent: string): Promise<void> {
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
  async #listFor(collection: Collection, root: string, parents: ReadonlySet<string>): Promise<void> {
    const view = this.views[collection];
    const pagesOfRoot = Math.ceil(Math.max(view.size, 1) / rowsPerPage);
    if (parents.has(root) || parents.size > pagesOfRoot || view.coverage(root) === undefined)
      await this.list(collection, { descendantsOf: root });
    else for (const parent of parents) await this.list(collection, { childrenOf: parent });
  }

  #rootAbove(collection: Collection, uid: string): string {
    const root = this.#options.roots.find((candidate) => isWithin(uid, candidate));
    if (root !== undefined) return root;
    throw new PlatformFailure(`list ${collection}`, {
      kind: "rights",
      capability: listCapability[collection],
      scope: uid,
    });
  }

  /** Lists one scope whole into the view. @throws {PlatformFailure} */
  async list(
    collection: Collection,
    scope: { readonly descendantsOf: string } | { readonly childrenOf: string },
  ): Promise<void> {
    const group = "descendantsOf" in scope ? scope.descendantsOf : scope.childrenOf;
    await this.#requireRight(collection, group);
    const begunAt = this.#options.now();
    const { rows, steady } = await listAll(this.#options.api, collection, { scope }, this.#options.signal);
    // Rights may have been lost while the list was read; under less right it would look like absence.
    await this.#requireRight(collection, group);
    for (const row of rows) this.#settlePost(collection, row);
    const changed = this.#view(collection).recordListing(scope, rows, begunAt, steady);
    for (const listener of this.#listeners) listener(collection, changed);
  }

  /**
   * Reads one resource. Its absence is recorded only where it is proven: a group above it can be read, under rights
   * that would show the resource if it were there.
   * @throws {PlatformFailure} where nothing could be learned.
   */
  async read(collection: Collection, uid: string): Promise<void> {
    const begunAt = this.#options.now();
    try {
      const row = await this.#options.api.get(collection, uid, this.#options.signal);
      this.#recordRow(collection, row, begunAt);
    } catch (error) {
      if (!isRefusal(error, "NOT_FOUND")) throw error;
      await this.#proveAbsence(collection, uid);
      this.views[collection].recordGone(uid, begunAt);
    }
  }

  async #proveAbsence(collection: Collection, uid: string): Promise<void> {
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
  async #requireRight(collection: Collection, group: string): Promise<void> {
    const capability = listCapability[collection];
    const root = this.#rootAbove(collection, group);
    const trouble = () =>
      this.#access?.unreadable.get(root) ??
      (this.#access?.rights.holds(capability, group)
        ? undefined
        : new PlatformFailure("read rights", { kind: "rights", capability, scope: group }));
    await this.readAccess();
    if (trouble() !== undefined && this.#options.now() >= (this.#access?.readAt ?? 0) + rightsRetryMs)
      await this.#rereadAccess();
    const found = trouble();
    if (found !== undefined) throw found;
  }

  /** Makes one thing below `parent`; `key` is its natural key. @throws {PlatformFailure} */
  async create(
    collection: Collection,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<void> {
    const { api, now, signal } = this.#options;
    this.#requireLeadership(`create ${collection}`);
    const keys: RowKeys<Rows[Collection]> = this.#options.keys[collection];
    const row = await this.posts.track(
      key,
      now,
      async () => {
        const made = await api.create(collection, parent, body, signal);
        if (keys.naturalKey(made) === key) return made;
        // Not found again, it would be made again: so what became of the request is not known.
        throw new PlatformFailure(`create ${collection}`, {
          kind: "unanswered",
          problem: "the answer is not what was asked for",
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
    collection: Collection,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
  ): Promise<void> {
    this.#requireLeadership(`update ${collection}`);
    try {
      const row = await this.#options.api.update(collection, uid, body, mask, this.#options.signal);
      this.#recordRow(collection, row, this.#options.now());
    } catch (error) {
      if (!isHarmless(error) || isRefusal(error, "NOT_FOUND")) this.views[collection].recordDoubt(uid);
      throw error;
    }
  }

  /** Success where the thing is gone afterwards, also where it was gone before and that is proven. @throws {PlatformFailure} */
  async delete(collection: Collection, uid: string): Promise<void> {
    this.#requireLeadership(`delete ${collection}`);
    try {
      await this.#options.api.delete(collection, uid, this.#options.signal);
    } catch (error) {
      if (!isRefusal(error, "NOT_FOUND")) {
        if (!isHarmless(error)) this.views[collection].recordDoubt(uid);
        throw error;
      }
      await this.#proveAbsence(collection, uid);
    }
    this.views[collection].recordGone(uid, this.#options.now());
  }

  #recordRow<C extends Collection>(collection: C, row: Rows[C], at: Moment): void {
    this.#settlePost(collection, row);
    this.#view(collection).recordRow(row, at);
  }

  /** A POST whose answer was lost has landed, once what it makes is seen. */
  #settlePost<C extends Collection>(collection: C, row: Rows[C]): void {
    if (!this.posts.unsettled) return;
    const keys: RowKeys<Rows[C]> = this.#options.keys[collection];
    const key = keys.naturalKey(row);
    if (key !== undefined) this.posts.settle(key);
  }

  #view<C extends Collection>(collection: C): CollectionView<Rows[C]> {
    return this.views[collection];
  }

  #requireLeadership(call: string): void {
    if (!this.#options.mayWrite()) throw new PlatformFailure(call, { kind: "held", retryAfterMs: 0 });
  }
}

function isHarmless(error: unknown): boolean {
  return error instanceof PlatformFailure && provesNothingHappened(error.detail);
}
