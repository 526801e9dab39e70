import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { type PlatformApi, resourcesPerPage } from "./api.ts";
import type { ExternalResource, ManagedCollection } from "./collection.ts";
import { isRejection } from "./failure.ts";
import { GatheredReads } from "./gathered-reads.ts";
import type { SessionViews } from "./session-views.ts";

export interface JointReadsOptions {
  readonly api: PlatformApi;
  readonly views: SessionViews;
  /** Reads one resource into its view, or proves that it is absent. */
  readonly read: (collection: ManagedCollection, uid: string) => Promise<void>;
  /** Called with what a list shows to have appeared or changed: no later list shows that as a change. */
  readonly onListed: (collection: ManagedCollection, changed: readonly string[]) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A list of resources by their uids, which has not ended yet. */
interface JointRead {
  readonly startedAt: MonotonicTime;
  readonly done: Promise<void>;
}

/** The most resources that one list reads: a page, and an address that every proxy accepts. */
const maxUids = resourcesPerPage;
const maxCharacters = 6_000;

/** A resource to be read, and others that can be read with it. */
interface Wanted {
  readonly uid: string;
  readonly others: readonly string[];
}

/**
 * Reads of single resources, just before they are changed or deleted. When many are to be changed at once, one list with their uids
 * reads them together. What such a list lacks proves nothing: it is read by itself.
 */
export class JointReads {
  readonly #options: JointReadsOptions;
  readonly #gathered = new Map<string, GatheredReads<Wanted, "alone" | "jointly">>();
  /** By collection and uid. */
  readonly #inFlight = new Map<string, JointRead>();

  constructor(options: JointReadsOptions) {
    this.#options = options;
  }

  /**
   * Reads one resource, or proves that it is absent, with a read that starts at or after `startedAfter`.
   * @param others the uids of resources that are expected to be read soon: as many of them as fit are read together with it.
   * @throws {PlatformFailure}
   */
  async read(
    collection: ManagedCollection,
    uid: string,
    startedAfter: MonotonicTime,
    others: readonly string[],
  ): Promise<void> {
    const joint = this.#inFlight.get(keyOf(collection, uid));
    // One that failed, or that is answered by a platform without this filter, serves nobody.
    if (joint !== undefined && joint.startedAt >= startedAfter) await joint.done.catch(() => undefined);
    else if ((await this.#gatheredIn(collection).join({ uid, others })) === "alone") return;
    const state = this.#options.views.viewOf(collection).stateOf(uid);
    if (state.is !== "present" || state.seenAt < startedAfter) await this.#options.read(collection, uid);
  }

  #gatheredIn(collection: ManagedCollection): GatheredReads<Wanted, "alone" | "jointly"> {
    const gathered =
      this.#gathered.get(collection.name) ??
      new GatheredReads({ ...this.#options, read: (wanted) => this.#readAll(collection, wanted) });
    this.#gathered.set(collection.name, gathered);
    return gathered;
  }

  async #readAll(collection: ManagedCollection, wanted: readonly Wanted[]): Promise<"alone" | "jointly"> {
    const uids = fitting([...wanted.map(({ uid }) => uid), ...wanted.flatMap(({ others }) => others)]);
    const [uid] = uids;
    if (uid === undefined || uids.length > 1) await this.#readJointly(collection, uids);
    else await this.#options.read(collection, uid);
    return uids.length > 1 ? "jointly" : "alone";
  }

  async #readJointly(collection: ManagedCollection, uids: readonly string[]): Promise<void> {
    const startedAt = this.#options.clock.monotonic();
    const joint = { startedAt, done: this.#list(collection, uids, startedAt) };
    for (const uid of uids) this.#inFlight.set(keyOf(collection, uid), joint);
    try {
      await joint.done;
    } catch (error) {
      // The platform may not know the filter, or not accept one of the uids.
      if (!isRejection(error, "INVALID_ARGUMENT") && !isRejection(error, "UNIMPLEMENTED")) throw error;
    } finally {
      for (const uid of uids)
        if (this.#inFlight.get(keyOf(collection, uid)) === joint) this.#inFlight.delete(keyOf(collection, uid));
    }
  }

  async #list(collection: ManagedCollection, uids: readonly string[], startedAt: MonotonicTime): Promise<void> {
    const { api, views, onListed, signal } = this.#options;
    const wanted = new Set(uids);
    const resources: ExternalResource[] = [];
    let pageToken: string | undefined;
    // Pages may be short, and even empty: there are never more of them than resources.
    for (let pages = 0; pages < uids.length && resources.length < uids.length; pages += 1) {
      const page = await api.list(collection, { uids, ...(pageToken === undefined ? {} : { pageToken }) }, signal);
      resources.push(...page.resources.filter((one) => wanted.has(one.uid)));
      // A platform that ignores the filter would return everything.
      pageToken = page.totalCount > uids.length ? undefined : page.nextPageToken;
      if (pageToken === undefined) break;
    }
    const changed = views.recordListed(collection, resources, startedAt);
    if (changed.length > 0) onListed(collection, changed);
  }
}

/** As many of the uids as one list can have, each once. */
function fitting(uids: readonly string[]): readonly string[] {
  const fit = new Set<string>();
  let characters = 0;
  for (const uid of new Set(uids)) {
    characters += `uidp.ids=${encodeURIComponent(uid)}&`.length;
    if (fit.size >= maxUids || characters > maxCharacters) break;
    fit.add(uid);
  }
  return [...fit];
}

function keyOf({ name }: ManagedCollection, uid: string): string {
  return `${name} ${uid}`;
}
