import { setImmediate as nextTurn } from "node:timers/promises";
import { shareTexts } from "#src/http/shared-texts.ts";
import type { WatchEvent } from "./api.ts";
import { compareResourceVersions, type KubeObject, keyOf, type ObjectMeta, withoutBulk } from "./object.ts";
import { StoreIndex, type ValuesOf } from "./store-index.ts";
import { StoreTally, type TallyOf } from "./store-tally.ts";

/** How the store learned of a change. */
export type ChangeSource = "list" | "watch" | "ownWrite";

/**
 * Called after the store has applied a change. `before` is undefined for a new object, `after` for one that is gone. An
 * object that was deleted and re-created under its name is reported as two changes.
 */
export type ChangeListener<T> = (before: T | undefined, after: T | undefined, source: ChangeSource) => void;

export interface StoreOptions<T, IndexName extends string> {
  /**
   * Converts an object of the API server to a T. It keeps `metadata` unchanged and does not throw: for an invalid object
   * it returns a T that says so. `before` is the same object (by uid) as the store has it, so that unchanged parts need
   * not be parsed again. Absent: objects are stored as they arrive.
   */
  readonly parse?: (object: KubeObject, before: T | undefined) => T;
  readonly indexes: Readonly<Record<IndexName, ValuesOf<T>>>;
  /**
   * Those of the indexes whose values depend only on the name, the namespace and the spec of an object. Most changes are of
   * the status, and do not update them.
   */
  readonly specIndexes?: readonly IndexName[];
  /** As what each object is counted. Absent: none is. */
  readonly tally?: TallyOf<T>;
}

/** An event of a watch that changes one object. */
export type ObjectEvent = Extract<WatchEvent, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

/** A complete list of a scope. */
export interface ObjectList {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly objects: Iterable<KubeObject>;
  readonly resourceVersion: string;
  /** `versionOf(namespace)` when the list was started. */
  readonly versionAtStart: string;
}

/**
 * A list of a scope that arrives in pages. Each is parsed as it arrives: then there are neither all of them as they were sent, nor seconds
 * of work at the end. The store changes only at the end, at once.
 */
export interface ListWriter {
  /** Parses a page. @param resourceVersion that of the list */
  add(objects: Iterable<KubeObject>, resourceVersion: string): void;
  /**
   * Applies the list: objects that it lacks are removed, unless the store has seen a newer version of them. Listeners learn of a first list
   * over several turns of the event loop, before the store is synced. Rejects if an object could not be stored, or if a listener threw.
   */
  end(): Promise<void>;
}

/** What a reflector does with a store. */
export interface StoreWriter {
  /** Adds a scope, a namespace or all of them (undefined): from then on `synced` waits for its first list. */
  addScope(namespace: string | undefined): void;
  /** Call it before the first page is asked for: an older list shows that the API server's history went backwards. */
  startList(namespace: string | undefined): ListWriter;
  apply(event: ObjectEvent): void;
}

/** A store without the methods that only a reflector calls. */
export type ReadStore<T extends { readonly metadata: ObjectMeta }, IndexName extends string> = Omit<
  Store<T, IndexName>,
  keyof StoreWriter | "replace" | "versionOf"
>;

type Change<T> = readonly [before: T | undefined, after: T | undefined];

interface ListUnderWay<T> {
  readonly namespace: string | undefined;
  readonly versionAtStart: string;
  /** That of the last page. */
  resourceVersion: string;
  /** By key. `parsed` is undefined if the store has the object already, or if it could not be parsed. */
  readonly items: Map<string, { readonly uid: string | undefined; readonly parsed: T | undefined }>;
  /** Of `parse`. */
  readonly errors: unknown[];
}

/** What listeners do about so many changes takes some milliseconds. */
const changesPerTurn = 200;

interface Scope {
  listed: boolean;
  version: string;
}

/**
 * A local copy of one resource, with indexes and counts.
 *
 * *Expected flow*: one reflector for each scope (a namespace, or all of them) adds its scope, lists it, and then applies
 * events. Until it is `synced`, readers must take what it
 * lacks for unknown, not for absent. The response to a write of ours goes to `observeOwnWrite`, so that the next
 * decision is based on it without waiting for the watch.
 *
 * *Guarantees*: objects are deeply frozen. A key never goes back to an older version, in whatever order lists, events
 * and responses arrive (unless the API server's history went backwards, see the assumptions). An object whose last finalizer we removed is gone at once, and late events do not bring it back.
 * Listeners are called after the whole list or event has been applied; for the first list of a scope over several turns of the
 * event loop, and the store is synced after them.
 *
 * *Assumptions*: versions of one resource are comparable, and a list without `resourceVersion` is at least as new as
 * everything that was seen before it started. If it is older, the API server's history went backwards (a restored backup
 * of etcd), and the list is applied as it is.
 *
 * *Errors*: an exception of `parse` or of a listener reaches the caller after everything else was applied and all listeners
 * were called. A list of which an object could not be stored does not make the store synced.
 */
export class Store<T extends { readonly metadata: ObjectMeta }, IndexName extends string = never>
  implements StoreWriter
{
  readonly #parse: (object: KubeObject, before: T | undefined) => T;
  readonly #objects = new Map<string, T>();
  readonly #indexes: ReadonlyMap<IndexName, StoreIndex<T>>;
  /** The indexes that a change of only the status or the metadata concerns. */
  readonly #statusIndexes: readonly StoreIndex<T>[];
  readonly #tally: StoreTally<T> | undefined;
  readonly #listeners = new Set<ChangeListener<T>>();
  /** By namespace; undefined: all namespaces. */
  readonly #scopes = new Map<string | undefined, Scope>();
  /** The namespaces, by uid, of objects whose last finalizer we removed, until the API server reports them gone. */
  readonly #finalized = new Map<string, string | undefined>();
  #onSynced: (() => void)[] = [];

  constructor(options: StoreOptions<T, IndexName>) {
    const { parse = (object) => object as KubeObject & T, indexes, specIndexes = [], tally } = options;
    this.#parse = parse;
    this.#indexes = new Map(
      Object.entries<ValuesOf<T>>(indexes).map(([name, valuesOf]) => [name as IndexName, new StoreIndex(valuesOf)]),
    );
    this.#statusIndexes = [...this.#indexes].flatMap(([name, index]) => (specIndexes.includes(name) ? [] : [index]));
    this.#tally = tally && new StoreTally(tally);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  get size(): number {
    return this.#objects.size;
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** The objects that have `value` in the index `name`, in no particular order. */
  index(name: IndexName, value: string): readonly T[] {
    // The compiler has checked the name.
    const index = this.#indexes.get(name) as StoreIndex<T>;
    const found: T[] = [];
    for (const key of index.keys(value)) found.push(this.#objects.get(key) as T);
    return found;
  }

  /** Whether any object has `value` in the index `name`. */
  isIndexed(name: IndexName, value: string): boolean {
    return this.#indexes.get(name)?.has(value) === true;
  }

  /** How many objects are counted as each value, by group. It changes with the store. */
  get tally(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    return this.#tally?.counts ?? new Map();
  }

  /** Calls `listener` for every change from now on. @returns a function that unsubscribes it. */
  onChange(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True once every scope has been listed; false if there is no scope. */
  get synced(): boolean {
    for (const { listed } of this.#scopes.values()) if (!listed) return false;
    return this.#scopes.size > 0;
  }

  /** Calls `listener` once, as soon as the store is synced: now, or after the listeners of the list's changes. */
  onSynced(listener: () => void): void {
    if (this.synced) listener();
    else this.#onSynced.push(listener);
  }

  addScope(namespace: string | undefined): void {
    this.#scopeOf(namespace);
  }

  /** The newest version of any object or list seen in the scope; "0" before the first. */
  versionOf(namespace: string | undefined): string {
    return this.#scopeOf(namespace).version;
  }

  startList(namespace: string | undefined): ListWriter {
    const list = this.#newList(namespace, this.versionOf(namespace));
    return {
      add: (objects, resourceVersion) => this.#addPage(list, objects, resourceVersion),
      end: async () => {
        const changes = this.#applyList(list);
        // Later, something else may change an object before its listeners have learned of the list.
        const isFirst = !this.#scopeOf(namespace).listed;
        const failures: unknown[] = [];
        for (let start = 0; start < changes.length; start += changesPerTurn) {
          if (isFirst && start > 0) await nextTurn();
          failures.push(...this.#callListeners(changes.slice(start, start + changesPerTurn), "list"));
        }
        this.#endList(list, failures);
      },
    };
  }

  /** Applies a list that is in memory, and calls all listeners. Throws as `ListWriter.end` rejects. */
  replace({ namespace, objects, resourceVersion, versionAtStart }: ObjectList): void {
    const list = this.#newList(namespace, versionAtStart);
    this.#addPage(list, objects, resourceVersion);
    this.#endList(list, this.#callListeners(this.#applyList(list), "list"));
  }

  #newList(namespace: string | undefined, versionAtStart: string): ListUnderWay<T> {
    return { namespace, versionAtStart, resourceVersion: versionAtStart, items: new Map(), errors: [] };
  }

  #addPage(list: ListUnderWay<T>, objects: Iterable<KubeObject>, resourceVersion: string): void {
    list.resourceVersion = resourceVersion;
    const { items, errors } = list;
    const wentBack = historyWentBack(list);
    for (const object of objects) {
      const key = keyOf(object);
      const { uid } = object.metadata;
      const before = items.get(key)?.parsed ?? this.#objects.get(key);
      if (before !== undefined && !wentBack && !isNewer(object, before)) {
        if (!items.has(key)) items.set(key, { uid, parsed: undefined });
        continue;
      }
      try {
        items.set(key, { uid, parsed: this.#parsed(object, wentBack ? undefined : before) });
      } catch (error) {
        items.set(key, { uid, parsed: undefined });
        errors.push(error);
      }
    }
  }

  #applyList(list: ListUnderWay<T>): readonly Change<T>[] {
    const { namespace, resourceVersion, items } = list;
    const wentBack = historyWentBack(list);
    const changes: Change<T>[] = [];
    const uids = new Set<string | undefined>();
    const isFinalized = (uid: string | undefined) => !wentBack && uid !== undefined && this.#finalized.has(uid);
    for (const [key, { uid, parsed }] of items) {
      uids.add(uid);
      const before = this.#objects.get(key);
      if (parsed === undefined || isFinalized(uid)) continue;
      // A write of ours may have been observed since the page was parsed.
      if (before !== undefined && !wentBack && !isNewer(parsed, before)) continue;
      this.#put(key, before, parsed, changes, wentBack);
    }
    for (const [key, object] of this.#objects) {
      const item = items.get(key);
      const isListed = item !== undefined && !isFinalized(item.uid);
      if (isListed || !isInScope(object.metadata.namespace, namespace)) continue;
      if (!wentBack && compareResourceVersions(versionOf(object), resourceVersion) > 0) continue;
      this.#remove(key, object, changes);
    }
    for (const [uid, itsNamespace] of this.#finalized)
      if (isInScope(itsNamespace, namespace) && (wentBack || !uids.has(uid))) this.#finalized.delete(uid);
    const scope = this.#scopeOf(namespace);
    if (wentBack || compareResourceVersions(resourceVersion, scope.version) > 0) scope.version = resourceVersion;
    return changes;
  }

  /** Ends a list of whose changes the listeners have learned. @throws the first error of `parse`, or else of a listener */
  #endList({ namespace, errors }: ListUnderWay<T>, failures: readonly unknown[]): void {
    // A store that lacks an object must not pass for complete.
    if (errors.length === 0) this.#scopeOf(namespace).listed = true;
    throwFirst([...errors, ...failures]);
    if (this.synced) for (const listener of this.#onSynced.splice(0)) listener();
  }

  apply({ type, object }: ObjectEvent): void {
    this.#advance(object);
    const changes: Change<T>[] = [];
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const { uid } = object.metadata;
    if (uid !== undefined && this.#finalized.has(uid)) {
      if (type === "DELETED") this.#finalized.delete(uid);
      return;
    }
    if (type === "DELETED") {
      if (before !== undefined && before.metadata.uid === uid) this.#remove(key, before, changes);
    } else if (before === undefined || isNewer(object, before))
      this.#put(key, before, this.#parsed(object, before), changes);
    this.#notify(changes, "watch");
  }

  /**
   * Applies the response to a write of ours. It is ignored if the store does not have the object: the object may have
   * been deleted since, and the watch reports new ones.
   * @returns the object that the store now has under that key.
   */
  observeOwnWrite(object: KubeObject): T | undefined {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const { uid, namespace, deletionTimestamp, finalizers = [] } = object.metadata;
    if (before === undefined || before.metadata.uid !== uid) return before;
    const changes: Change<T>[] = [];
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      if (uid !== undefined) this.#finalized.set(uid, namespace);
      this.#remove(key, before, changes);
    } else if (isNewer(object, before)) {
      this.#advance(object);
      this.#put(key, before, this.#parsed(object, before), changes);
    }
    this.#notify(changes, "ownWrite");
    return this.#objects.get(key);
  }

  /** @param before what the store has under the key: another object, or the same one */
  #parsed(arrived: KubeObject, before: T | undefined): T {
    const sameObject = before?.metadata.uid === arrived.metadata.uid ? before : undefined;
    return deepFreeze(shareTexts(this.#parse(withoutBulk(arrived), sameObject)));
  }

  #put(
    key: string,
    before: T | undefined,
    after: T,
    changes: Change<T>[],
    // If true, an equal generation does not mean an equal spec.
    wentBack = false,
  ): void {
    const isSameObject = before !== undefined && before.metadata.uid === after.metadata.uid;
    this.#objects.set(key, after);
    const indexes =
      isSameObject && !wentBack && hasSameSpec(before, after) ? this.#statusIndexes : this.#indexes.values();
    for (const index of indexes) index.update(key, before, after);
    this.#tally?.update(before, after);
    if (before !== undefined && !isSameObject) changes.push([before, undefined], [undefined, after]);
    else changes.push([before, after]);
  }

  #remove(key: string, before: T, changes: Change<T>[]): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.update(key, before, undefined);
    this.#tally?.update(before, undefined);
    changes.push([before, undefined]);
  }

  #advance(seen: KubeObject): void {
    const scope = this.#scopes.get(seen.metadata.namespace) ?? this.#scopes.get(undefined);
    if (scope !== undefined && compareResourceVersions(versionOf(seen), scope.version) > 0)
      scope.version = versionOf(seen);
  }

  #scopeOf(namespace: string | undefined): Scope {
    const known = this.#scopes.get(namespace);
    if (known !== undefined) return known;
    const scope = { listed: false, version: "0" };
    this.#scopes.set(namespace, scope);
    return scope;
  }

  /** @throws the first error of a listener, after all were called */
  #notify(changes: readonly Change<T>[], source: ChangeSource): void {
    throwFirst(this.#callListeners(changes, source));
  }

  /** @returns the errors of the listeners */
  #callListeners(changes: readonly Change<T>[], source: ChangeSource): unknown[] {
    const errors: unknown[] = [];
    for (const [before, after] of changes)
      for (const listener of this.#listeners)
        try {
          listener(before, after, source);
        } catch (error) {
          errors.push(error);
        }
    return errors;
  }
}

/** Whether a list is older than what was seen before it: the API server's history went backwards. */
function historyWentBack<T>({ resourceVersion, versionAtStart }: ListUnderWay<T>): boolean {
  return compareResourceVersions(resourceVersion, versionAtStart) < 0;
}

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0];
}

function versionOf(object: { readonly metadata: ObjectMeta }): string {
  return object.metadata.resourceVersion ?? "0";
}

function isNewer(object: { readonly metadata: ObjectMeta }, than: { readonly metadata: ObjectMeta }): boolean {
  return compareResourceVersions(versionOf(object), versionOf(than)) > 0;
}

/** Whether two versions of one object certainly have the same spec. */
function hasSameSpec(before: { readonly metadata: ObjectMeta }, after: { readonly metadata: ObjectMeta }): boolean {
  return before.metadata.generation !== undefined && before.metadata.generation === after.metadata.generation;
}

function isInScope(namespace: string | undefined, scope: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function deepFreeze<V>(value: V): V {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
