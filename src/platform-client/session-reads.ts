import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { proveAbsence } from "./prove-gone.ts";
import type { PlatformApi } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { isRejection, PlatformFailure } from "./failure.ts";
import { JointReads } from "./joint-reads.ts";
import { groups, identities, roleBindings, roles } from "./permission-resources.ts";
import { type Grants, type GrantsOf, RecentGrants } from "./recent-grants.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import type { SessionViews } from "./session-views.ts";
import { SharedReads } from "./shared-reads.ts";
import { parentOf } from "./uid.ts";

export interface SessionReadsOptions {
  readonly api: PlatformApi;
  /** The collections that the session reads and writes. */
  readonly collections: readonly ManagedCollection[];
  readonly permissions: SessionPermissions;
  readonly views: SessionViews;
  /** Called with what a read on which other objects may depend shows to have changed: no later list shows it. */
  readonly onChanged: (collection: ManagedCollection, uids: readonly string[]) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The reads of single resources of a session. The result of each is in the views before it resolves. */
export class SessionReads {
  readonly #options: SessionReadsOptions;
  readonly #shared: SharedReads;
  readonly #joint: JointReads;
  readonly #grants = new RecentGrants();

  constructor(options: SessionReadsOptions) {
    this.#options = options;
    this.#shared = new SharedReads({
      ...options,
      viewOf: (collection) => options.views.viewOf(collection),
      read: (collection, uid) => this.read(collection, uid),
      onChanged: (collection, uid) => options.onChanged(collection, [uid]),
    });
    this.#joint = new JointReads({
      ...options,
      read: (collection, uid) => this.#shared.readAlone(collection, uid),
      onListed: options.onChanged,
    });
  }

  /**
   * Reads one resource, or proves that it is absent. While a DELETE of it is under way, a read could come too early to show it: it
   * waits, and what the DELETE showed needs no read. @throws {PlatformFailure} if neither succeeds.
   */
  read(collection: ManagedCollection, uid: string): Promise<void> {
    return this.#afterDeletion(collection, uid, () => this.#readNow(collection, uid));
  }

  async #afterDeletion(collection: ManagedCollection, uid: string, read: () => Promise<void>): Promise<void> {
    const view = this.#options.views.viewOf(collection);
    const wasGone = view.stateOf(uid).is === "gone";
    await view.untilDeleted(uid);
    if (wasGone || view.stateOf(uid).is !== "gone") await read();
  }

  async #readNow(collection: ManagedCollection, uid: string): Promise<void> {
    const { api, clock, signal, views } = this.#options;
    const startedAt = clock.monotonic();
    try {
      views.record(collection, await api.get(collection, uid, signal), startedAt);
    } catch (error) {
      if (!isRejection(error, "NOT_FOUND")) throw error;
      await this.proveAbsence(collection, uid);
      views.viewOf(collection).recordGone(uid, startedAt);
    }
  }

  /** As `JointReads.read`. */
  readTogether(
    collection: ManagedCollection,
    uid: string,
    startedAfter: MonotonicTime,
    others: readonly string[],
  ): Promise<void> {
    return this.#afterDeletion(collection, uid, () => this.#joint.read(collection, uid, startedAfter, others));
  }

  /** Reads one identity, as `read` does. Callers that wait for the same identity share one read. */
  readIdentity(identity: string): Promise<void> {
    return this.#shared.read(identities, identity);
  }

  /** Reads one role of a group, as `readIdentity` reads an identity. */
  readRole(role: string): Promise<void> {
    return this.#shared.read(roles.name, role);
  }

  /** Reads the role bindings of an identity or of a role, in every group in which the session may see them. */
  async readGrants(of: GrantsOf): Promise<void> {
    const { api, clock, permissions, signal } = this.#options;
    const collection = this.#collection(roleBindings.name);
    const uid = "role" in of ? of.role : of.identity;
    const scope = parentOf(uid) ?? uid;
    // Without the capability to list role bindings where it is, an empty list proves nothing.
    if (collection !== undefined) await permissions.requireList(collection, scope);
    const confirm = async () => {
      if (collection !== undefined) await permissions.requireListAfter(permissions.readsStarted, collection, scope);
    };
    await this.#grants.read(api, clock, of, confirm, signal);
  }

  /** What `readGrants` read last, within the last minutes. */
  grantsOf(uid: string): Grants | undefined {
    return this.#grants.of(uid);
  }

  /** Reads a group, and reports it as changed if it is gone. @returns false also where that cannot be proven. */
  async isGone(group: string): Promise<boolean> {
    const collection = this.#collection(groups.name);
    if (collection === undefined) return false;
    try {
      await this.read(collection, group);
    } catch (error) {
      if (error instanceof PlatformFailure) return false;
      throw error;
    }
    const { onChanged, views } = this.#options;
    if (views.viewOf(collection).stateOf(group).is !== "gone") return false;
    onChanged(collection, [group]);
    return true;
  }

  /** Proves that a resource is absent after a call for its uid was rejected with NOT_FOUND. @throws {PlatformFailure} if it is not. */
  proveAbsence(collection: ManagedCollection, uid: string): Promise<void> {
    return proveAbsence(this.#options, collection, uid);
  }

  #collection(type: string): ManagedCollection | undefined {
    return this.#options.collections.find(({ name }) => name === type);
  }
}
