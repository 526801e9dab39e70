import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";
import type { PlatformApi } from "./api.ts";
import type { ExternalResource, ManagedCollection } from "./collection.ts";
import { type ExternalState, sameContent } from "./collection-view.ts";
import { isRejection, PlatformFailure, provesNoEffect } from "./failure.ts";
import type { OwnerCheck } from "./owner-check.ts";
import { groups } from "./permission-resources.ts";
import { overwriteKey } from "./post-ledger.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import type { SessionReads } from "./session-reads.ts";
import type { SessionViews } from "./session-views.ts";

/**
 * How long it is remembered that this process created a group, so that it contains nothing that an earlier process created: long
 * enough for a tree that is applied at once.
 */
export const newGroupMs = minutes(1);

/**
 * How long after the read of a singleton, or of the owner, a write that depends on it may be sent. A write that waits longer, for a
 * connection, for a token or because the process was stopped, could meet another resource with the same uid, or another owner.
 */
const unchangedMs = seconds(2);

export interface SessionWritesOptions {
  readonly api: PlatformApi;
  readonly permissions: SessionPermissions;
  readonly reads: SessionReads;
  readonly views: SessionViews;
  readonly owner?: OwnerCheck;
  readonly canWrite: () => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The writes of a session. The result of each is in the views before it resolves. */
export class SessionWrites {
  readonly #options: SessionWritesOptions;
  readonly #newGroups = new Map<string, MonotonicTime>();

  constructor(options: SessionWritesOptions) {
    this.#options = options;
  }

  /** When this process created the group; undefined if it did not within the last minute. */
  createdAt(group: string): MonotonicTime | undefined {
    const createdAt = this.#newGroups.get(group);
    if (createdAt === undefined || this.#options.clock.monotonic() < createdAt + newGroupMs) return createdAt;
    this.#newGroups.delete(group);
    return undefined;
  }

  /**
   * Creates one resource below `parent`; `key` is its natural key. Must be called when the decision is made: it rejects with
   * `paused` if a POST with the key was sent since. Rejects with `parentGone` if the platform does not find something and the
   * parent is proven to be gone.
   * @returns the resource as the platform returned it, with the secret that no other response contains, if there is one.
   */
  async create(
    collection: ManagedCollection,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<ExternalResource> {
    const { api, views, clock, signal } = this.#options;
    const call = `create ${collection.name}`;
    const isOutdated = views.posts.watch(key);
    await this.#requireWritable(call, parent, "recently");
    // Another session decided on the same meanwhile. The next decision observes what it did.
    if (isOutdated()) throw new PlatformFailure(call, { kind: "paused", retryAfterMs: 0 });
    const post = async () => {
      const created = await api.create(collection, parent, body, signal);
      // Only who creates a resource gets a secret with it: what has one is this resource, whatever the platform made of its fields.
      const isThis =
        collection.issuing === null
          ? collection.naturalKeyOf(created) === key
          : collection.uids.parentOf(created.uid) === parent;
      if (isThis) {
        views.posts.created(key, created.uid, clock.monotonic());
        return created;
      }
      // A resource with another key would not be found again, and would be created again: the outcome is unknown.
      throw new PlatformFailure(call, {
        kind: "noResponse",
        message: "the response is not the resource that was requested",
      });
    };
    const existing = views
      .viewOf(collection)
      .withKey(key)
      .map(({ uid }) => uid);
    const sent = { key, collection: collection.name, parent, sentAt: clock.monotonic(), existing };
    let resource: ExternalResource;
    try {
      resource = await views.posts.track(sent, post, hadNoEffect);
    } catch (error) {
      if (isRejection(error, "NOT_FOUND") && (await this.#options.reads.isGone(parent)))
        throw new PlatformFailure(call, { kind: "parentGone", parent }, { cause: error });
      throw error;
    }
    const createdAt = clock.monotonic();
    views.record(collection, withoutSecret(collection, resource), createdAt);
    if (collection.name === groups.name) this.#newGroups.set(resource.uid, createdAt);
    return resource;
  }

  /**
   * Changes the fields in `mask`. Must be called when the decision is made: it rejects with `paused` if a singleton is not as the
   * view showed it then.
   * @returns the resource as the platform returned it.
   */
  async update(
    collection: ManagedCollection,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
  ): Promise<ExternalResource> {
    const { api, views, clock, signal } = this.#options;
    const decidedFrom = views.viewOf(collection).stateOf(uid);
    const call = `update ${collection.name}`;
    const changesWho = mask.some((field) => collection.authenticationFields.includes(field));
    const ownedUntil = await this.#requireWritable(call, uid, changesWho ? "now" : "recently");
    try {
      const sendBefore = (await this.#requireUnchanged(collection, uid, decidedFrom)) ?? ownedUntil;
      const send = () => api.update(collection, uid, body, mask, signal, sendBefore);
      const updated = await this.#track(collection, uid, send);
      views.record(collection, updated, clock.monotonic());
      return updated;
    } catch (error) {
      if (!hadNoEffect(error) || isRejection(error, "NOT_FOUND")) views.viewOf(collection).recordStale(uid);
      throw error;
    }
  }

  /**
   * Deletes one resource. Resolves also if it was absent before and that is proven. Must be called when the decision is made: it
   * rejects with `paused` if a singleton is not as the view showed it then.
   */
  async delete(collection: ManagedCollection, uid: string): Promise<void> {
    const view = this.#options.views.viewOf(collection);
    const decidedFrom = view.stateOf(uid);
    const end = view.beginDeletion(uid);
    try {
      await this.#delete(collection, uid, decidedFrom);
    } finally {
      end();
    }
  }

  async #delete(
    collection: ManagedCollection,
    uid: string,
    decidedFrom: ExternalState<ExternalResource>,
  ): Promise<void> {
    const { api, views, clock, signal } = this.#options;
    const ownedUntil = await this.#requireWritable(`delete ${collection.name}`, uid, "now");
    try {
      const sendBefore = (await this.#requireUnchanged(collection, uid, decidedFrom)) ?? ownedUntil;
      await this.#track(collection, uid, () => api.delete(collection, uid, signal, sendBefore));
    } catch (error) {
      if (!isRejection(error, "NOT_FOUND")) {
        if (!hadNoEffect(error)) views.viewOf(collection).recordStale(uid);
        throw error;
      }
      await this.#options.reads.proveAbsence(collection, uid);
    }
    views.viewOf(collection).recordGone(uid, clock.monotonic());
  }

  /**
   * Requires that a singleton is what the write was decided from: another one may have its uid since, also in the view.
   * What a read shows instead is in the view before this rejects, so that the next decision is made from it.
   * @returns until when the write may be sent; undefined: at any time.
   */
  async #requireUnchanged(
    collection: ManagedCollection,
    uid: string,
    decidedFrom: ExternalState<ExternalResource>,
  ): Promise<MonotonicTime | undefined> {
    if (!collection.uids.isSingleton) return undefined;
    const { api, views, clock, signal } = this.#options;
    const startedAt = clock.monotonic();
    const current = await api.get(collection, uid, signal);
    views.record(collection, current, startedAt);
    if (decidedFrom.is !== "present" || !sameContent(decidedFrom.resource, current))
      throw new PlatformFailure(`write ${collection.name}`, { kind: "paused", retryAfterMs: 0 });
    return clock.monotonic() + unchangedMs;
  }

  /** Sends a PATCH or a DELETE. One of a singleton could also take effect on the next resource with its uid, so it is tracked. */
  #track<T>(collection: ManagedCollection, uid: string, send: () => Promise<T>): Promise<T> {
    if (!collection.uids.isSingleton) return send();
    const { views, clock } = this.#options;
    const key = overwriteKey(collection, uid);
    const sent = { key, collection: collection.name, parent: uid, sentAt: clock.monotonic(), existing: [] };
    return views.posts.track(sent, send, hadNoEffect);
  }

  /**
   * Requires what every write needs. Who takes something away, or gives it to others, must still be the owner when that is sent:
   * `owned` says whether a recent read of the owner is enough, or it is read now, after everything else.
   * @returns until when the write may be sent; undefined: at any time.
   */
  async #requireWritable(call: string, uid: string, owned: "recently" | "now"): Promise<MonotonicTime | undefined> {
    const { owner, permissions, canWrite, clock } = this.#options;
    await permissions.requireReadableRoot(uid);
    await (owned === "now" ? owner?.requireByNewRead() : owner?.require());
    if (!canWrite()) throw new PlatformFailure(call, { kind: "paused", retryAfterMs: 0 });
    return owned === "now" ? clock.monotonic() + unchangedMs : undefined;
  }
}

/** What may be recorded of a resource that was created. */
function withoutSecret({ schema, issuing }: ManagedCollection, resource: ExternalResource): ExternalResource {
  return issuing === null ? resource : schema.parse(resource);
}

function hadNoEffect(error: unknown): boolean {
  return error instanceof PlatformFailure && provesNoEffect(error.problem);
}
