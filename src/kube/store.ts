import type { WatchEvent } from "./api.ts";
import { compareResourceVersions, type KubeObject, keyOf, type ObjectMeta, withoutBulk } from "./object.ts";

/** How a change came to be known. */
export type ChangeSource = "list" | "watch" | "ownWrite";

/**
 * Called after the store holds `after`. `before` is undefined for what is new, `after` for what is gone. An object that
 * was deleted and made again under its name is told as two changes.
 */
export type ChangeListener<T> = (before: T | undefined, after: T | undefined, source: ChangeSource) => void;

export interface StoreOptions<T> {
  /**
   * Makes the typed object from what arrived, or a value of the caller's own that marks it as invalid (T may be a
   * union); `before` is what the store holds of the same object (by uid), for what need not be read again. It keeps
   * `metadata` as it is and does not throw. Absent: what arrives is taken for a T.
   */
  readonly parse?: (object: KubeObject, before: T | undefined) => T;
  /** By name: the values under which an object is found. */
  readonly indexes?: Readonly<Record<string, (object: T) => readonly string[]>>;
}

/** What a store takes from a watch. */
export type ObjectEvent = Extract<WatchEvent, { type: "ADDED" | "MODIFIED" | "DELETED" }>;

/** One change to tell: what was and what is. */
type Change<T> = readonly [before: T | undefined, after: T | undefined];

interface Scope {
  listed: boolean;
  version: string;
}

/** A list of everything in a scope. */
export interface Listing {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly objects: Iterable<KubeObject>;
  readonly resourceVersion: string;
  /** `versionOf` the namespace when the list was begun. */
  readonly since: string;
}

/**
 * A local copy of one resource, kept by reflectors (one a watched namespace) and by our own writes.
 *
 * *Guarantees*: objects are frozen to the bottom; one key never goes back to an older version, whatever the order in
 * which lists, events and answers to our writes arrive; an object whose last finalizer we removed is gone at once and
 * for good. *Assumes*: versions of one resource are comparable, and a list without `resourceVersion` is not older than
 * what was seen before it began. Where it is, the API server's own history went back (a restored backup), and the list
 * is taken as it is.
 */
export class Store<T extends { readonly metadata: ObjectMeta }> {
  readonly #parse: (object: KubeObject, before: T | undefined) => T;
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #listeners = new Set<ChangeListener<T>>();
  /** Namespaces (undefined: all) that are fed. */
  readonly #scopes = new Map<string | undefined, Scope>();
  /** Uids that our own write made go away, with their namespace, until the API server says so too. */
  readonly #finished = new Map<string, string | undefined>();
  readonly #whenSynced = Promise.withResolvers<void>();

  constructor({ parse = (object) => object as KubeObject & T, indexes = {} }: StoreOptions<T> = {}) {
    this.#parse = parse;
    for (const [name, valuesOf] of Object.entries(indexes)) this.#indexes.set(name, new Index(valuesOf));
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

  /** The objects that the index `name` has under `value`, in no particular order. @throws where there is no such index. */
  index(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new Error(`the store has no index "${name}"`);
    return Array.from(index.keys(value), (key) => this.#objects.get(key) as T);
  }

  /** @returns a function that ends the subscription. */
  onChange(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True once every scope has been listed. */
  get synced(): boolean {
    return this.#scopes.size > 0 && this.#scopes.values().every(({ listed }) => listed);
  }

  /** Resolves when `synced`; rejects with the signal's reason. */
  async whenSynced(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      await Promise.race([this.#whenSynced.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Says that `namespace` (undefined: all) will be fed, so that `synced` waits for it. */
  addScope(namespace: string | undefined): void {
    this.#scopeOf(namespace);
  }

  /** The newest version seen in the scope, of any object or list; "0" before the first. */
  versionOf(namespace: string | undefined): string {
    return this.#scopeOf(namespace).version;
  }

  /** Takes in a list, whole: what it lacks is gone, unless it was seen later than the list. */
  replace({ namespace, objects, resourceVersion, since }: Listing): void {
    const historyWentBack = compareResourceVersions(resourceVersion, since) < 0;
    const changes: Change<T>[] = [];
    const listed = new Set<string>();
    const listedUids = new Set<string | undefined>();
    for (const object of objects) {
      const uid = object.metadata.uid;
      listedUids.add(uid);
      if (!historyWentBack && uid !== undefined && this.#finished.has(uid)) continue;
      const key = keyOf(object);
      listed.add(key);
      const before = this.#objects.get(key);
      if (before === undefined || historyWentBack || isNewer(object, before))
        this.#put(key, before, object, changes, historyWentBack);
    }
    for (const [key, object] of this.#objects) {
      if (listed.has(key) || !isWithin(object.metadata.namespace, namespace)) continue;
      if (!historyWentBack && compareResourceVersions(versionOf(object), resourceVersion) > 0) continue;
      this.#remove(key, object, changes);
    }
    for (const [uid, where] of this.#finished)
      if (isWithin(where, namespace) && (historyWentBack || !listedUids.has(uid))) this.#finished.delete(uid);
    const scope = this.#scopeOf(namespace);
    scope.listed = true;
    if (historyWentBack || compareResourceVersions(resourceVersion, scope.version) > 0) scope.version = resourceVersion;
    this.#tell(changes, "list");
    if (this.synced) this.#whenSynced.resolve();
  }

  /** Takes in one event of a watch. */
  apply({ type, object }: ObjectEvent): void {
    this.#advance(object);
    const changes: Change<T>[] = [];
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const { uid } = object.metadata;
    if (uid !== undefined && this.#finished.has(uid)) {
      if (type === "DELETED") this.#finished.delete(uid);
      return;
    }
    if (type === "DELETED") {
      if (before !== undefined && before.metadata.uid === uid) this.#remove(key, before, changes);
    } else if (before === undefined || isNewer(object, before)) this.#put(key, before, object, changes);
    this.#tell(changes, "watch");
  }

  /**
   * Takes in what a write of ours was answered with, so that the next decision sees it. An object that the store does
   * not hold (any more) is left out: it may have been deleted since, and the watch tells what is new.
   * @returns what the store holds now under that key.
   */
  observeOwnWrite(object: KubeObject): T | undefined {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const { uid, namespace, deletionTimestamp, finalizers = [] } = object.metadata;
    if (before === undefined || before.metadata.uid !== uid) return before;
    const changes: Change<T>[] = [];
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      if (uid !== undefined) this.#finished.set(uid, namespace);
      this.#remove(key, before, changes);
    } else if (isNewer(object, before)) {
      this.#advance(object);
      this.#put(key, before, object, changes);
    }
    this.#tell(changes, "ownWrite");
    return this.#objects.get(key);
  }

  #put(
    key: string,
    before: T | undefined,
    arrived: KubeObject,
    changes: Change<T>[],
    // Then a generation that was seen before may be another one.
    historyWentBack = false,
  ): void {
    const same = !historyWentBack && before?.metadata.uid === arrived.metadata.uid ? before : undefined;
    const after = deepFreeze(this.#parse(withoutBulk(arrived), same));
    this.#objects.set(key, after);
    for (const index of this.#indexes.values()) index.change(key, before, after);
    if (before !== undefined && before.metadata.uid !== after.metadata.uid)
      changes.push([before, undefined], [undefined, after]);
    else changes.push([before, after]);
  }

  #remove(key: string, before: T, changes: Change<T>[]): void {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.change(key, before, undefined);
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

  #tell(changes: readonly Change<T>[], source: ChangeSource): void {
    for (const [before, after] of changes) for (const listener of this.#listeners) listener(before, after, source);
  }
}

/** A store as its readers have it. */
export type ReadStore<T extends { readonly metadata: ObjectMeta }> = Omit<
  Store<T>,
  "addScope" | "versionOf" | "replace" | "apply"
>;

/** Keys by what a function of their objects says. */
class Index<T> {
  readonly #valuesOf: (object: T) => readonly string[];
  /** Most values are of one object: a set for each would be most of what an index takes. */
  readonly #keys = new Map<string, string | Set<string>>();

  constructor(valuesOf: (object: T) => readonly string[]) {
    this.#valuesOf = valuesOf;
  }

  keys(value: string): Iterable<string> {
    const keys = this.#keys.get(value) ?? [];
    return typeof keys === "string" ? [keys] : keys;
  }

  change(key: string, before: T | undefined, after: T | undefined): void {
    const old = before === undefined ? [] : this.#valuesOf(before);
    const current = after === undefined ? [] : this.#valuesOf(after);
    for (const value of old) {
      if (current.includes(value)) continue;
      const keys = this.#keys.get(value);
      if (typeof keys === "object") keys.delete(key);
      if (keys === key || (typeof keys === "object" && keys.size === 0)) this.#keys.delete(value);
    }
    for (const value of current) {
      const keys = this.#keys.get(value);
      if (keys === undefined) this.#keys.set(value, key);
      else if (typeof keys === "object") keys.add(key);
      else if (keys !== key) this.#keys.set(value, new Set([keys, key]));
    }
  }
}

function versionOf(object: { readonly metadata: ObjectMeta }): string {
  return object.metadata.resourceVersion ?? "0";
}

function isNewer(object: KubeObject, than: { readonly metadata: ObjectMeta }): boolean {
  return compareResourceVersions(versionOf(object), versionOf(than)) > 0;
}

function isWithin(namespace: string | undefined, scope: string | undefined): boolean {
  return scope === undefined || namespace === scope;
}

function deepFreeze<V>(value: V): V {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}
