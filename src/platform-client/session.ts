import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import { proveAbsence } from "./absence-proof.ts";
import { groupOfScope, type ListScope } from "./api.ts";
import type { ManagedCollection, ExternalResource, ResourceType } from "./collection.ts";
import type { OutageListener } from "./circuit.ts";
import type { CollectionView } from "./collection-view.ts";
import type { OwnerCheck } from "./owner-check.ts";
import { isRejection, PlatformFailure, type PlatformProblem, provesNoEffect } from "./failure.ts";
import type { GovernedApi } from "./governed-api.ts";
import { listAll } from "./list-all.ts";
import type { Outage } from "./outage.ts";
import { type ExternalRoleBinding, groups, roleBindings } from "./permission-resources.ts";
import type { Permissions, RoleCatalog } from "./permissions.ts";
import type { PostLedger } from "./post-ledger.ts";
import { parentOf } from "./uid.ts";
import { SessionPermissions } from "./session-permissions.ts";
import { type NameListener, SessionViews } from "./session-views.ts";
import { SnapshotBatcher } from "./snapshot-batcher.ts";
import type { SnapshotRequirement } from "./snapshots.ts";

export interface SessionOptions {
  /** The sessions of one credential share it. */
  readonly api: GovernedApi;
  /** The uid of the identity that the session acts as. */
  readonly identity: string;
  /** The groups below which the session reads and writes. */
  readonly roots: readonly string[];
  /** The number of token exchanges so far: permissions are read again under a new token. */
  readonly credentialEpoch: () => number;
  /** The collections that the session reads and writes. */
  readonly collections: readonly ManagedCollection[];
  /** The POSTs of the process. Sessions whose objects may move from one to the other share one ledger. */
  readonly posts: PostLedger;
  readonly clock: Clock;
  /** Aborts the calls in flight and everything that waits. */
  readonly signal: AbortSignal;
  /** Must permit each write: the operator's identity records this operator. Absent in tests of other parts. */
  readonly owner?: OwnerCheck;
  /** Checked before each write: false once another process may be the leader. */
  readonly canWrite: () => boolean;
}

/**
 * Receives each snapshot, and a group that was found to be gone: `changed` are the uids that appeared, changed or disappeared
 * other than by our own writes.
 */
export type SnapshotListener = (collection: ManagedCollection, changed: readonly string[]) => void;

/** The role bindings of an identity, wherever they can be seen. */
export interface IdentityGrants {
  readonly readAt: MonotonicTime;
  readonly bindings: readonly ExternalRoleBinding[];
}

/** How long the role bindings of an identity are kept after they were read. */
const grantsRetentionMs = minutes(5);

/**
 * How long a group that this process created is known to contain nothing but what this process created there: long enough
 * for a tree that is applied at once, short enough that nobody else has used the group yet.
 */
const newGroupMs = minutes(1);

/**
 * One credential's access to the platform: what it is allowed to see, what it has seen, and the only way to write.
 *
 * **Expected flow.** A reconcile looks up the views and `posts`, decides on one step, and performs it through one of the
 * methods here: `refreshPermissions`, `ensureSnapshot`, `read`, `readGrants`, `create`, `update` or `delete`. Then it looks
 * again. The resync calls `listTogether` for each root.
 *
 * **Guarantees.**
 * - The result of a call is in the views, and listeners have been called, before the returned promise resolves.
 * - A resource becomes `gone` only through a proof of absence or our own DELETE. A snapshot is recorded only if the
 *   permissions to see all of it were held before its list, and read again after it.
 * - After a PATCH or DELETE with an unknown outcome the resource is `stale`; after such a POST, `postUnknownSince`
 *   returns when it was sent. Both last until a later response shows the resource, or its absence is proven.
 * - Nothing is written while the operator's identity records another owner, nor once `canWrite` returns false, and nothing is
 *   listed outside the roots.
 * - During an outage, and during a pause that the platform asked for, no call is sent (`GovernedApi`).
 * - Concurrent callers share lists (`SnapshotBatcher`) and reads of the permissions (`SessionPermissions`).
 *
 * **Assumptions.** No other process writes for the same owner while `canWrite` returns true. The platform's uids name their
 * parent groups, lists are ordered by uid, and a role binding grants in its group and below it.
 *
 * **Caveats.** The session does not retry a failed call. A `read` of a missing resource costs more calls than one of a
 * present resource, because its absence has to be proven. Two `read`s of one uid are two calls.
 *
 * **Errors.** Every method that returns a promise rejects with a `PlatformFailure`: of kind `permissions` where a missing
 * resource would prove nothing, `paused` where `canWrite` returns false or the platform asked for a pause, and `suspended`
 * during an outage; or with the reason of `signal`.
 */
export class PlatformSession {
  readonly #options: SessionOptions;
  readonly #permissions: SessionPermissions;
  readonly #seen: SessionViews;
  readonly #batcher: SnapshotBatcher;
  readonly #newGroups = new Map<string, MonotonicTime>();
  readonly #grants = new Map<string, IdentityGrants>();
  readonly #listeners: SnapshotListener[] = [];
  readonly #nameListeners: NameListener[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#permissions = new SessionPermissions(options);
    this.#seen = new SessionViews(options.collections, options.posts, (collection, name) => {
      for (const listener of this.#nameListeners) listener(collection, name);
    });
    this.#batcher = new SnapshotBatcher({
      viewOf: (collection) => this.#seen.viewOf(collection),
      rootAbove: (collection, group) => this.#permissions.rootAbove(collection, group),
      list: (collection, scope) => this.list(collection, scope),
      clock: options.clock,
      signal: options.signal,
    });
  }

  /** The groups below which the session reads and writes. */
  get roots(): readonly string[] {
    return this.#options.roots;
  }

  /** What is known of `collection`, one of those that the session was created with. */
  viewOf(collection: ManagedCollection): CollectionView<ExternalResource> {
    return this.#seen.viewOf(collection);
  }

  get posts(): SessionViews["posts"] {
    return this.#seen.posts;
  }

  /** When the last POST with this natural key was sent whose outcome this session does not know. */
  postUnknownSince(collection: ManagedCollection, key: string): MonotonicTime | undefined {
    const view = this.viewOf(collection);
    return this.posts.unknownSince(
      key,
      (uid) => view.stateOf(uid).is === "gone" || view.withKey(key).some((known) => known.uid === uid),
    );
  }

  /** Undefined until they were read for the first time. */
  get permissions(): Permissions | undefined {
    return this.#permissions.permissions;
  }

  /** Undefined until they were read for the first time. */
  get roles(): RoleCatalog | undefined {
    return this.#permissions.roles;
  }

  /** The roots that the identity could not read when the permissions were read last. */
  get unreadableRoots(): readonly string[] {
    return this.#permissions.unreadableRoots;
  }

  /** Why no calls are sent; undefined while they are. */
  get outage(): Outage | undefined {
    return this.#options.api.circuit.outage;
  }

  /**
   * Increases each time that an outage ends, and that what kept every session from writing ends (`OwnerCheck`). What failed
   * because of it can then be tried again.
   */
  get recoveries(): number {
    const { api, owner } = this.#options;
    return api.circuit.recoveries + (owner?.recoveries ?? 0);
  }

  /** Calls `listener` each time that `recoveries` has increased. */
  onRecovery(listener: () => void): void {
    const { api, owner, signal } = this.#options;
    api.circuit.onChange((outage) => {
      if (outage === undefined) listener();
    });
    owner?.onRecovery(listener, signal);
  }

  /** Why nothing is written although calls are sent; undefined if the owner was not checked, or is this one. */
  get ownerProblem(): PlatformProblem | undefined {
    return this.#options.owner?.problem;
  }

  /** Checks that writes are let through. @throws {PlatformFailure} as a write would. */
  async checkOwner(): Promise<void> {
    await this.#options.owner?.require();
  }

  /** Calls `listener` when an outage starts, changes its class, or ends. */
  onOutageChange(listener: OutageListener): void {
    this.#options.api.circuit.onChange(listener);
  }

  /** Calls `listener` after each complete list, before the callers that wait for the list continue. */
  onSnapshot(listener: SnapshotListener): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` when a resource that was seen with a name is seen with another one, or is gone, whoever wrote it. */
  onNameReleased(listener: NameListener): void {
    this.#nameListeners.push(listener);
  }

  /** Calls `listener` after permissions and roles were read. */
  onPermissionsRead(listener: () => void): void {
    this.#permissions.onRead(listener);
  }

  /** Calls `listener` after permissions and roles were read under a new token. */
  onPermissionsChanged(listener: () => void): void {
    this.#permissions.onChanged(listener);
  }

  /** Whether this process created the group within the last minute, so that it contains only what this process created. */
  createdRecently(group: string): boolean {
    const createdAt = this.#newGroups.get(group);
    if (createdAt === undefined) return false;
    if (this.#options.clock.monotonic() < createdAt + newGroupMs) return true;
    this.#newGroups.delete(group);
    return false;
  }

  /** Reads permissions and roles, unless they were read under the current token. */
  refreshPermissions(): Promise<void> {
    return this.#permissions.refresh();
  }

  /** Reads permissions and roles again, because somebody may have changed them. */
  rereadPermissions(): Promise<void> {
    return this.#permissions.reread();
  }

  /** Resolves once a snapshot of the children of `parent` meets the requirement; lists them if there is none yet. */
  ensureSnapshot(collection: ManagedCollection, parent: string, requirement: SnapshotRequirement): Promise<void> {
    return this.#batcher.ensure(collection, parent, requirement);
  }

  /** Records a snapshot of the scope. */
  async list(collection: ManagedCollection, scope: ListScope): Promise<void> {
    const confirm = await this.#listUnconfirmed(collection, scope);
    await confirm();
  }

  /**
   * Records a snapshot of the scope for each collection. One read of the permissions confirms all of them.
   * @returns the outcome of each, in the order of `collections`. The failure of one does not prevent the others.
   */
  async listTogether(
    collections: readonly ManagedCollection[],
    scope: ListScope,
  ): Promise<readonly PromiseSettledResult<void>[]> {
    const confirmations: (() => Promise<void>)[] = [];
    for (const collection of collections)
      confirmations.push(
        await this.#listUnconfirmed(collection, scope).catch((error: unknown) => () => Promise.reject(error)),
      );
    return Promise.allSettled(confirmations.map((confirm) => confirm()));
  }

  /** Lists the scope. @returns a function that confirms that the list is complete, and records it. */
  async #listUnconfirmed(collection: ManagedCollection, scope: ListScope): Promise<() => Promise<void>> {
    const { api, clock, signal } = this.#options;
    const group = groupOfScope(scope);
    await this.#permissions.requireList(collection, group);
    const startedAt = clock.monotonic();
    const list = await listAll(api, collection, { scope }, signal);
    return async () => {
      await this.#permissions.requireListAfterwards(collection, group);
      const changed = this.#seen.recordSnapshot(collection, scope, list, startedAt);
      for (const listener of this.#listeners) listener(collection, changed);
    };
  }

  /**
   * Lists a scope of any type, also above the roots, without recording it.
   * @returns undefined if the identity lacks `capability` there, before or after the list: what the list lacks may exist.
   */
  async peek<R extends ExternalResource>(
    type: ResourceType<R>,
    capability: string,
    scope: ListScope,
  ): Promise<readonly R[] | undefined> {
    const { api, signal } = this.#options;
    const group = groupOfScope(scope);
    const isAllowed = () => this.permissions?.allow(capability, group) === true;
    await this.refreshPermissions();
    if (!isAllowed()) return undefined;
    const { resources } = await listAll(api, type, { scope }, signal);
    await this.#permissions.rereadAfterwards();
    return isAllowed() ? resources : undefined;
  }

  /** Reads one resource, or proves that it is absent. Rejects if neither succeeds. */
  async read(collection: ManagedCollection, uid: string): Promise<void> {
    const { api, clock, signal } = this.#options;
    const startedAt = clock.monotonic();
    try {
      this.#seen.record(collection, await api.get(collection, uid, signal), startedAt);
    } catch (error) {
      if (!isRejection(error, "NOT_FOUND")) throw error;
      await this.#proveAbsence(collection, uid);
      this.viewOf(collection).recordGone(uid, startedAt);
    }
  }

  /** Reads the role bindings of an identity, in every group in which the session may see them. */
  async readGrants(identity: string): Promise<void> {
    const { api, clock, signal } = this.#options;
    const readAt = clock.monotonic();
    const collection = this.#options.collections.find(({ name }) => name === roleBindings.name);
    // Without the capability to list role bindings where the identity is, an empty list proves nothing.
    if (collection !== undefined) await this.#permissions.requireList(collection, parentOf(identity) ?? identity);
    const { resources } = await listAll(api, roleBindings, { filter: { identity } }, signal);
    for (const [one, grants] of this.#grants) if (grants.readAt < readAt - grantsRetentionMs) this.#grants.delete(one);
    this.#grants.set(identity, { readAt, bindings: resources.filter((binding) => binding.identity.uid === identity) });
  }

  /** What `readGrants` read last, within the last minutes. */
  grantsOf(identity: string): IdentityGrants | undefined {
    return this.#grants.get(identity);
  }

  /**
   * Creates one resource below `parent`; `key` is its natural key. Rejects with `parentGone` if the platform does not find
   * something and the parent is proven to be gone.
   */
  async create(
    collection: ManagedCollection,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<void> {
    const { api, clock, signal } = this.#options;
    await this.#requireWritable(`create ${collection.name}`);
    const post = async () => {
      const created = await api.create(collection, parent, body, signal);
      if (collection.naturalKeyOf(created) === key) return created;
      // A resource with another key would not be found again, and would be created again: the outcome is unknown.
      throw new PlatformFailure(`create ${collection.name}`, {
        kind: "noResponse",
        message: "the response is not the resource that was requested",
      });
    };
    const existing = this.viewOf(collection)
      .withKey(key)
      .map(({ uid }) => uid);
    const sent = { key, collection: collection.name, parent, sentAt: clock.monotonic(), existing };
    let resource: ExternalResource;
    try {
      resource = await this.posts.track(sent, post, hadNoEffect);
    } catch (error) {
      if (isRejection(error, "NOT_FOUND") && (await this.#isGone(parent)))
        throw new PlatformFailure(`create ${collection.name}`, { kind: "parentGone", parent }, { cause: error });
      throw error;
    }
    const createdAt = clock.monotonic();
    this.#seen.record(collection, resource, createdAt);
    if (collection.name === groups.name) this.#newGroups.set(resource.uid, createdAt);
  }

  /** Changes the fields in `mask`. */
  async update(
    collection: ManagedCollection,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
  ): Promise<void> {
    const { api, clock, signal } = this.#options;
    await this.#requireWritable(`update ${collection.name}`);
    try {
      this.#seen.record(collection, await api.update(collection, uid, body, mask, signal), clock.monotonic());
    } catch (error) {
      if (!hadNoEffect(error) || isRejection(error, "NOT_FOUND")) this.viewOf(collection).recordStale(uid);
      throw error;
    }
  }

  /** Deletes one resource. Resolves also if it was absent before and that is proven. */
  async delete(collection: ManagedCollection, uid: string): Promise<void> {
    const { api, clock, signal } = this.#options;
    await this.#requireWritable(`delete ${collection.name}`);
    try {
      await api.delete(collection, uid, signal);
    } catch (error) {
      if (!isRejection(error, "NOT_FOUND")) {
        if (!hadNoEffect(error)) this.viewOf(collection).recordStale(uid);
        throw error;
      }
      await this.#proveAbsence(collection, uid);
    }
    this.viewOf(collection).recordGone(uid, clock.monotonic());
  }

  /** Reads a group, and reports to the listeners if it is gone. @returns false also where that cannot be proven. */
  async #isGone(group: string): Promise<boolean> {
    const collection = this.#options.collections.find(({ name }) => name === groups.name);
    if (collection === undefined) return false;
    try {
      await this.read(collection, group);
    } catch (error) {
      if (error instanceof PlatformFailure) return false;
      throw error;
    }
    if (this.viewOf(collection).stateOf(group).is !== "gone") return false;
    for (const listener of this.#listeners) listener(collection, [group]);
    return true;
  }

  #proveAbsence(collection: ManagedCollection, uid: string): Promise<void> {
    const { api, signal } = this.#options;
    return proveAbsence({ api, permissions: this.#permissions, signal }, collection, uid);
  }

  async #requireWritable(call: string): Promise<void> {
    await this.#options.owner?.require();
    if (!this.#options.canWrite()) throw new PlatformFailure(call, { kind: "paused", retryAfterMs: 0 });
  }
}

function hadNoEffect(error: unknown): boolean {
  return error instanceof PlatformFailure && provesNoEffect(error.problem);
}
