import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { seconds } from "#src/time/durations.ts";
import { type ListQuery, type PlatformApi, resourcesPerPage } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { GatheredReads } from "./gathered-reads.ts";
import { listAll } from "./list-all.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import type { SessionViews } from "./session-views.ts";

export interface NameListsOptions {
  readonly api: PlatformApi;
  readonly permissions: SessionPermissions;
  readonly views: SessionViews;
  /** Called with what a list shows to have appeared or changed: no later list shows that as a change. */
  readonly onListed: (collection: ManagedCollection, changed: readonly string[]) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A list of all children of a group, which has not ended yet. */
interface GroupList {
  readonly startedAt: MonotonicTime;
  readonly done: Promise<void>;
}

/** What was listed in one group. */
interface Listed {
  /** When the first of `calls` was made. */
  since: MonotonicTime;
  /** How many lists of single names were made since, after the last list of all names. */
  calls: number;
  /** When the lists of single names had started. */
  readonly names: Map<string, MonotonicTime>;
  /** When the latest list of all names had started. */
  allAt?: MonotonicTime;
  inFlight?: GroupList;
  /** Lists the names that several wait for. */
  readonly gathered: GatheredReads<string, void>;
}

/** Lists of names that are further apart than this are not counted together, and are forgotten. */
const burstMs = seconds(15);

/**
 * Looks for names in groups, just before something is created with them: the platform need not keep names unique.
 *
 * A list of one name is one call, and a list of the group one call for each page, but it serves all that wait for it. A group is
 * listed as soon as lists of its names have cost, or would cost, more calls within a few seconds: never more than twice the cheaper
 * of the two.
 * That a name is free is not proven against a loss of the permission to list: what must never exist twice, such as a marker,
 * is proven by a snapshot.
 */
export class NameLists {
  readonly #options: NameListsOptions;
  /** By collection and group, the one that was asked for last at the end. */
  readonly #groups = new Map<string, Listed>();

  constructor(options: NameListsOptions) {
    this.#options = options;
  }

  /** When the latest list was started that would have shown a child of `parent` with this name; undefined if there was none. */
  listedAt(collection: ManagedCollection, parent: string, name: string): MonotonicTime | undefined {
    const listed = this.#groups.get(keyOf(collection, parent));
    const snapshot = this.#options.views.viewOf(collection).snapshotOf(parent);
    const times = [listed?.names.get(name), listed?.allAt, snapshot?.startedAt].filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.max(...times);
  }

  /**
   * Lists the children of `parent` with this name, or all of them, with a list that starts at or after `startedAfter`.
   * @throws {PlatformFailure}
   */
  async list(collection: ManagedCollection, parent: string, name: string, startedAfter: MonotonicTime): Promise<void> {
    await this.#options.permissions.requireList(collection, parent);
    const listed = this.#listedIn(collection, parent);
    const { inFlight } = listed;
    if (inFlight !== undefined && inFlight.startedAt >= startedAfter) return inFlight.done;
    await listed.gathered.join(name);
  }

  /** Lists all names, if that is no more expensive than to list these and those before. */
  async #listNames(collection: ManagedCollection, parent: string, wanted: readonly string[]): Promise<void> {
    const listed = this.#listedIn(collection, parent);
    const names = [...new Set(wanted)];
    const pages = Math.ceil(this.#options.views.viewOf(collection).childrenOf(parent).length / resourcesPerPage);
    if (listed.calls + names.length > Math.max(pages, 1)) await this.#listAll(collection, parent, listed);
    else await Promise.all(names.map((name) => this.#listName(collection, parent, name, listed)));
  }

  async #listName(collection: ManagedCollection, parent: string, name: string, listed: Listed): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    listed.calls += 1;
    await this.#read(collection, parent, { filter: { name } }, startedAt);
    listed.names.set(name, startedAt);
  }

  async #listAll(collection: ManagedCollection, parent: string, listed: Listed): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    const list = async () => {
      try {
        await this.#read(collection, parent, {}, startedAt);
        listed.allAt = startedAt;
      } finally {
        if (listed.inFlight === inFlight) delete listed.inFlight;
      }
    };
    listed.calls = 0;
    const inFlight: GroupList = { startedAt, done: list() };
    listed.inFlight = inFlight;
    await inFlight.done;
  }

  async #read(
    collection: ManagedCollection,
    parent: string,
    query: Pick<ListQuery, "filter">,
    startedAt: MonotonicTime,
  ): Promise<void> {
    const { api, views, onListed, signal } = this.#options;
    const { resources } = await listAll(api, collection, { scope: { childrenOf: parent }, ...query }, signal);
    const changed = views.recordListed(collection, resources, startedAt);
    if (changed.length > 0) onListed(collection, changed);
  }

  /** Forgets what is no longer current. */
  #listedIn(collection: ManagedCollection, parent: string): Listed {
    const key = keyOf(collection, parent);
    const now = this.#options.clock.monotonic();
    const isOld = ({ since, allAt = since, inFlight }: Listed) =>
      inFlight === undefined && Math.max(since, allAt) < now - burstMs;
    const listed = this.#groups.get(key) ?? this.#newGroup(collection, parent, now);
    if (listed.since < now - burstMs) {
      listed.since = now;
      listed.calls = 0;
      for (const [name, at] of listed.names) if (at < now - burstMs) listed.names.delete(name);
    }
    this.#groups.delete(key);
    for (const [other, one] of this.#groups) {
      if (!isOld(one)) break;
      this.#groups.delete(other);
    }
    this.#groups.set(key, listed);
    return listed;
  }

  #newGroup(collection: ManagedCollection, parent: string, now: MonotonicTime): Listed {
    const read = (names: readonly string[]) => this.#listNames(collection, parent, names);
    return { since: now, calls: 0, names: new Map(), gathered: new GatheredReads({ ...this.#options, read }) };
  }
}

function keyOf({ name }: ManagedCollection, parent: string): string {
  return `${name} ${parent}`;
}
