import { parentOf } from "./uid.ts";

/** Milliseconds of a monotonic clock: when something was read or written, as far as we can know. */
export type MonotonicTime = number;

/** What is known of one uid. */
export type ExternalState<R> =
  /** Read, or answered to a write of ours, with nothing since that could have changed it unseen by us. */
  | { readonly is: "present"; readonly row: R; readonly seenAt: MonotonicTime }
  /** Something of ours with an unknown outcome touched it, or a snapshot lacked it: only a live read can tell. */
  | { readonly is: "stale" }
  /** Deleted by us, or its absence was proven. */
  | { readonly is: "gone" }
  | { readonly is: "unknown" };

interface Entry<R> {
  row: R;
  seenAt: MonotonicTime;
  stale: boolean;
}

interface Snapshot {
  readonly startedAt: MonotonicTime;
  readonly stable: boolean;
}

/**
 * How long a proof of absence is kept. A uid never comes back by itself; where it does (a restored platform), the list
 * that shows it counts. It goes in the end because it takes memory.
 */
const proofKeptMs = 3_600_000;

/** Under what rows are found besides their uid. */
export interface ResourceKeys<R> {
  /** What tells two rows to be the same thing, whatever their uid. */
  naturalKey(row: R): string | undefined;
  name(row: R): string | undefined;
}

/**
 * What one credential knows of one collection: rows with the moment of their reading, and which scopes were listed
 * whole. Rows read before our own last write to their uid are ignored, so that an old list never undoes a new fact.
 */
export class CollectionView<R extends { readonly uid: string }> {
  readonly #entries = new Map<string, Entry<R>>();
  readonly #gone = new Map<string, MonotonicTime>();
  readonly #byParent: UidIndex = new Map();
  readonly #byKey: UidIndex = new Map();
  readonly #byName: UidIndex = new Map();
  readonly #subtrees = new Map<string, Snapshot>();
  readonly #children = new Map<string, Snapshot>();
  readonly #keysOf: ResourceKeys<R>;

  constructor(keysOf: ResourceKeys<R>) {
    this.#keysOf = keysOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  know(uid: string): ExternalState<R> {
    const entry = this.#entries.get(uid);
    if (entry !== undefined)
      return entry.stale ? { is: "stale" } : { is: "present", row: entry.row, seenAt: entry.seenAt };
    if (this.#gone.has(uid)) return { is: "gone" };
    const parent = parentOf(uid);
    if (parent !== undefined && this.snapshotOf(parent) !== undefined) return { is: "stale" };
    return { is: "unknown" };
  }

  rows(): Iterable<R> {
    return this.#entries.values().map((entry) => entry.row);
  }

  /** The rows directly below `parent` that bear `name`. */
  named(parent: string, name: string): R[] {
    return this.#rowsOf(uidsIn(this.#byName, `${parent} ${name}`));
  }

  /** All rows with this natural key, in the order of their uids. */
  withKey(key: string): R[] {
    return this.#rowsOf(uidsIn(this.#byKey, key)).toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  }

  /** The latest complete list that held all children of `parent`; undefined where there was none. */
  snapshotOf(parent: string): Snapshot | undefined {
    let best = this.#children.get(parent);
    for (let scope: string | undefined = parent; scope !== undefined; scope = parentOf(scope)) {
      const subtree = this.#subtrees.get(scope);
      if (subtree !== undefined && (best === undefined || subtree.startedAt > best.startedAt)) best = subtree;
    }
    return best;
  }

  recordRow(row: R, at: MonotonicTime): void {
    this.#gone.delete(row.uid);
    this.#put(row, at);
  }

  recordGone(uid: string, at: MonotonicTime): void {
    this.#drop(uid);
    this.#gone.set(uid, at);
  }

  /** A write to `uid` had an unknown outcome: what we know of it no longer counts. */
  recordStale(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.stale = true;
  }

  /**
   * Takes in a complete list of `scope`, begun at `startedAt`.
   * @returns the uids that changed, came or went missing since what we knew.
   */
  recordSnapshot(
    scope: { readonly descendantsOf: string } | { readonly childrenOf: string },
    rows: readonly R[],
    startedAt: MonotonicTime,
    stable: boolean,
  ): string[] {
    const changed: string[] = [];
    const listed = new Set<string>();
    for (const row of rows) {
      listed.add(row.uid);
      if ((this.#gone.get(row.uid) ?? -1) >= startedAt) continue;
      const entry = this.#entries.get(row.uid);
      if (entry !== undefined && entry.seenAt >= startedAt) continue;
      if (entry === undefined || entry.stale || !sameContent(entry.row, row)) changed.push(row.uid);
      this.recordRow(row, startedAt);
    }
    for (const uid of this.#within(scope)) {
      const entry = this.#entries.get(uid);
      if (listed.has(uid) || entry === undefined || entry.seenAt >= startedAt) continue;
      this.#drop(uid);
      changed.push(uid);
    }
    for (const [uid, at] of this.#gone) if (at < startedAt - proofKeptMs) this.#gone.delete(uid);
    const coverage = { startedAt, stable };
    if ("descendantsOf" in scope) this.#subtrees.set(scope.descendantsOf, coverage);
    else this.#children.set(scope.childrenOf, coverage);
    return changed;
  }

  #within(scope: { readonly descendantsOf: string } | { readonly childrenOf: string }): string[] {
    if ("childrenOf" in scope) return [...uidsIn(this.#byParent, scope.childrenOf)];
    const prefix = `${scope.descendantsOf}/`;
    return this.#entries
      .keys()
      .filter((uid) => uid.startsWith(prefix))
      .toArray();
  }

  #put(row: R, seenAt: MonotonicTime): void {
    this.#drop(row.uid);
    for (const [index, key] of this.#placesOf(row)) addTo(index, key, row.uid);
    this.#entries.set(row.uid, { row, seenAt, stale: false });
  }

  #drop(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    for (const [index, key] of this.#placesOf(entry.row)) removeFrom(index, key, uid);
  }

  #placesOf(row: R): [UidIndex, string][] {
    const places: [UidIndex, string][] = [];
    const parent = parentOf(row.uid);
    const name = this.#keysOf.name(row);
    const key = this.#keysOf.naturalKey(row);
    if (parent !== undefined) places.push([this.#byParent, parent]);
    if (parent !== undefined && name !== undefined) places.push([this.#byName, `${parent} ${name}`]);
    if (key !== undefined) places.push([this.#byKey, key]);
    return places;
  }

  #rowsOf(uids: Iterable<string>): R[] {
    return Array.from(uids).flatMap((uid) => this.#entries.get(uid)?.row ?? []);
  }
}

/** Most keys are of one row: a set for each would take more memory than the rows. */
type UidIndex = Map<string, string | Set<string>>;

function uidsIn(index: UidIndex, key: string): Iterable<string> {
  const uids = index.get(key) ?? [];
  return typeof uids === "string" ? [uids] : uids;
}

function addTo(index: UidIndex, key: string, uid: string): void {
  const uids = index.get(key);
  if (uids === undefined) index.set(key, uid);
  else if (typeof uids === "object") uids.add(uid);
  else if (uids !== uid) index.set(key, new Set([uids, uid]));
}

function removeFrom(index: UidIndex, key: string, uid: string): void {
  const uids = index.get(key);
  if (typeof uids === "object") uids.delete(uid);
  if (uids === uid || (typeof uids === "object" && uids.size === 0)) index.delete(key);
}

function sameContent(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
