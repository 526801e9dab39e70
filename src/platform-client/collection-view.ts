import { shareTexts } from "#src/http/shared-texts.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { hours } from "#src/time/durations.ts";
import type { ListScope } from "./api.ts";
import { type ResourceKeys, uniqueName } from "./collection.ts";
import { type Snapshot, Snapshots } from "./snapshots.ts";

/** What is known about the resource with one uid. */
export type ExternalState<R> =
  /** The resource was read or returned by a write of ours, and nothing that we know of changed it since. */
  | { readonly is: "present"; readonly resource: R; readonly seenAt: MonotonicTime }
  /** A write of ours to it had an unknown outcome, a DELETE is under way, or a snapshot did not contain it: only a GET decides. */
  | { readonly is: "stale" }
  /** We deleted the resource, or its absence was proven, at the time `at`. */
  | { readonly is: "gone"; readonly at: MonotonicTime }
  /** The uid was never read and no snapshot covers it. */
  | { readonly is: "unknown" };

interface Entry<R> {
  resource: R;
  seenAt: MonotonicTime;
  stale: boolean;
}

/**
 * How long a proof of absence is kept. The platform never reuses a uid, except that of a singleton, and where one reappears
 * (a new singleton, a restored platform), the next snapshot shows it. Proofs expire only because they take memory.
 */
const absenceRetentionMs = hours(1);

/**
 * What one credential knows about one collection: each resource with the time of its last read, the proven absences, and
 * the scopes of which there is a snapshot.
 *
 * **Expected flow.** The session records every read, write and complete list here, and the reconcilers only look up:
 * `stateOf` for one uid, `named` and `withKey` to find candidates, `snapshotOf` to learn whether not finding any means
 * something. A resource goes `unknown → present → stale → present | gone`.
 *
 * **Guarantees.**
 * - A snapshot never undoes a newer fact: for each uid, a read, write or proof of absence at or after the snapshot's start
 *   wins. Nor does a GET that started before our own write, and whose response arrives after it.
 * - A snapshot never makes a resource `gone`. A resource that it does not contain is `stale`, because a list shows only
 *   what the permissions of that moment show.
 * - `recordSnapshot` returns each uid whose state or content changed, and no other.
 *
 * **Assumptions.** All times come from one monotonic clock, and a time given for a list or GET is that of its start; for
 * a write, that of its response. The caller checked the permissions for the scope of a snapshot before and after the list.
 *
 * **Caveats.** Memory grows with the collection and with the absences of one hour. `present` says what was true at `seenAt`;
 * other clients may have changed the resource since. `recordSnapshot` of a whole subtree visits every resource that
 * the view holds.
 *
 * **Errors.** No method throws.
 */
export class CollectionView<R extends { readonly uid: string }> {
  readonly #entries = new Map<string, Entry<R>>();
  readonly #gone = new Map<string, MonotonicTime>();
  /** The DELETEs that are under way, each with what resolves once it has ended. */
  readonly #deletions = new Map<string, PromiseWithResolvers<void>>();
  readonly #byParent = new UidIndex();
  readonly #byNaturalKey = new UidIndex();
  readonly #byName = new UidIndex();
  readonly #snapshots = new Snapshots();
  readonly #keys: ResourceKeys<R>;
  readonly #onNameReleased: (name: string, uid: string) => void;

  /**
   * @param onNameReleased called after the resource with this uid that had this name, as from `uniqueName`, was recorded with another one, or
   * as gone.
   */
  constructor(keys: ResourceKeys<R>, onNameReleased: (name: string, uid: string) => void = () => undefined) {
    this.#keys = keys;
    this.#onNameReleased = onNameReleased;
  }

  /** How many resources the view holds. */
  get size(): number {
    return this.#entries.size;
  }

  stateOf(uid: string): ExternalState<R> {
    const entry = this.#entries.get(uid);
    if (entry !== undefined)
      return entry.stale || this.#deletions.has(uid)
        ? { is: "stale" }
        : { is: "present", resource: entry.resource, seenAt: entry.seenAt };
    const goneAt = this.#gone.get(uid);
    if (goneAt !== undefined) return { is: "gone", at: goneAt };
    const parent = this.#keys.uids.parentOf(uid);
    if (parent !== undefined && this.snapshotOf(parent) !== undefined) return { is: "stale" };
    return { is: "unknown" };
  }

  /** All resources of the view, stale ones included. */
  resources(): Iterable<R> {
    return this.#entries.values().map((entry) => entry.resource);
  }

  /** The direct children of `parent`, in no particular order. */
  childrenOf(parent: string): R[] {
    return this.#resourcesOf(this.#byParent.get(parent));
  }

  /** The direct children of `parent` with this name, as from `uniqueName`, in no particular order. */
  named(parent: string, name: string): R[] {
    return this.#resourcesOf(this.#byName.get(`${parent} ${name}`));
  }

  /** All resources with this natural key, ordered by uid. */
  withKey(key: string): R[] {
    return this.#resourcesOf(this.#byNaturalKey.get(key)).toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  }

  /** The latest snapshot that covered all children of `parent`; undefined before the first one. */
  snapshotOf(parent: string): Snapshot | undefined {
    return this.#snapshots.latestOf(parent);
  }

  /** Records a resource that a GET or a write returned, unless something newer is known of it. */
  record(resource: R, at: MonotonicTime): void {
    const known = this.#entries.get(resource.uid);
    const isOutdated =
      known === undefined ? (this.#gone.get(resource.uid) ?? -1) > at : !known.stale && known.seenAt > at;
    if (isOutdated) return;
    const before = this.#nameAt(resource.uid);
    this.#gone.delete(resource.uid);
    this.#put(resource, at);
    if (before !== undefined && before !== this.#nameOf(resource)) this.#onNameReleased(before, resource.uid);
  }

  /** Records a proven absence. */
  recordGone(uid: string, at: MonotonicTime): void {
    const before = this.#nameAt(uid);
    this.#remove(uid);
    this.#gone.set(uid, at);
    if (before !== undefined) this.#onNameReleased(before, uid);
  }

  /** Records that a write to `uid` had an unknown outcome. */
  recordStale(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry !== undefined) entry.stale = true;
  }

  /**
   * Records that a DELETE of `uid` is under way. Until it has ended, nobody may rely on the resource.
   * @returns a function that records that it has ended.
   */
  beginDeletion(uid: string): () => void {
    const deletion = Promise.withResolvers<void>();
    this.#deletions.set(uid, deletion);
    return () => {
      if (this.#deletions.get(uid) === deletion) this.#deletions.delete(uid);
      deletion.resolve();
    };
  }

  /** Resolves once no DELETE of `uid` is under way. */
  async untilDeleted(uid: string): Promise<void> {
    for (let under = this.#deletions.get(uid); under !== undefined; under = this.#deletions.get(uid))
      await under.promise;
  }

  /**
   * Records a complete list of `scope` that was started at `startedAt`.
   * @returns the uids that appeared, changed or disappeared compared with the view.
   */
  recordSnapshot(scope: ListScope, resources: readonly R[], startedAt: MonotonicTime, stable: boolean): string[] {
    const changed = this.recordListed(resources, startedAt);
    const listed = new Set(resources.map(({ uid }) => uid));
    for (const uid of this.#uidsIn(scope)) {
      const entry = this.#entries.get(uid);
      if (listed.has(uid) || entry === undefined || entry.seenAt >= startedAt) continue;
      this.#remove(uid);
      changed.push(uid);
    }
    for (const [uid, at] of this.#gone) if (at < startedAt - absenceRetentionMs) this.#gone.delete(uid);
    this.#snapshots.record(scope, { startedAt, stable });
    return changed;
  }

  /**
   * Records the resources of a list that was started at `startedAt`. What the list lacks may exist nevertheless.
   * @returns the uids that appeared or changed compared with the view.
   */
  recordListed(resources: readonly R[], startedAt: MonotonicTime): string[] {
    const changed: string[] = [];
    for (const resource of resources) {
      if ((this.#gone.get(resource.uid) ?? -1) >= startedAt) continue;
      const entry = this.#entries.get(resource.uid);
      if (entry !== undefined && entry.seenAt >= startedAt) continue;
      if (entry !== undefined && sameContent(entry.resource, resource)) {
        if (entry.stale) changed.push(resource.uid);
        entry.seenAt = startedAt;
        entry.stale = false;
      } else {
        changed.push(resource.uid);
        this.record(resource, startedAt);
      }
    }
    return changed;
  }

  #uidsIn(scope: ListScope): string[] {
    if ("childrenOf" in scope) return [...this.#byParent.get(scope.childrenOf)];
    return this.#entries
      .keys()
      .filter((uid) => this.#keys.uids.isBelow(uid, scope.descendantsOf))
      .toArray();
  }

  #nameAt(uid: string): string | undefined {
    const entry = this.#entries.get(uid);
    return entry === undefined ? undefined : this.#nameOf(entry.resource);
  }

  #nameOf(resource: R): string | undefined {
    return uniqueName(this.#keys, this.#keys.nameOf(resource));
  }

  #put(resource: R, seenAt: MonotonicTime): void {
    this.#remove(resource.uid);
    for (const [index, key] of this.#indexKeysOf(resource)) index.add(key, resource.uid);
    this.#entries.set(resource.uid, { resource: shareTexts(resource), seenAt, stale: false });
  }

  #remove(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#entries.delete(uid);
    for (const [index, key] of this.#indexKeysOf(entry.resource)) index.delete(key, uid);
  }

  #indexKeysOf(resource: R): [UidIndex, string][] {
    const keys: [UidIndex, string][] = [];
    const parent = this.#keys.uids.parentOf(resource.uid);
    const name = this.#nameOf(resource);
    const naturalKey = this.#keys.naturalKeyOf(resource);
    if (parent !== undefined) keys.push([this.#byParent, parent]);
    if (parent !== undefined && name !== undefined) keys.push([this.#byName, `${parent} ${name}`]);
    if (naturalKey !== undefined) keys.push([this.#byNaturalKey, naturalKey]);
    return keys;
  }

  #resourcesOf(uids: Iterable<string>): R[] {
    return Array.from(uids).flatMap((uid) => this.#entries.get(uid)?.resource ?? []);
  }
}

/** Whether two reads of one resource, parsed with the same schema, show the same. */
export function sameContent(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Uids by a key. Most keys have a single uid, which is stored without a set: a set for each key would take more memory
 * than the resources themselves.
 */
class UidIndex {
  readonly #uids = new Map<string, string | Set<string>>();

  get(key: string): Iterable<string> {
    const uids = this.#uids.get(key) ?? [];
    return typeof uids === "string" ? [uids] : uids;
  }

  add(key: string, uid: string): void {
    const uids = this.#uids.get(key);
    if (uids === undefined) this.#uids.set(key, uid);
    else if (typeof uids === "object") uids.add(uid);
    else if (uids !== uid) this.#uids.set(key, new Set([uids, uid]));
  }

  delete(key: string, uid: string): void {
    const uids = this.#uids.get(key);
    if (typeof uids === "object") uids.delete(uid);
    if (uids === uid || (typeof uids === "object" && uids.size === 0)) this.#uids.delete(key);
  }
}
