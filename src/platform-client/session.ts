import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import type { ListScope } from "./api.ts";
import type { OutageListener } from "./suspension.ts";
import type { ExternalResource, ManagedCollection, ResourceType } from "./collection.ts";
import type { CollectionView } from "./collection-view.ts";
import type { PlatformProblem } from "./failure.ts";
import type { GovernedApi } from "./governed-api.ts";
import type { Grants, GrantsOf } from "./recent-grants.ts";
import { NameLists } from "./name-lists.ts";
import type { Outage } from "./outage.ts";
import type { OwnerCheck } from "./owner-check.ts";
import type { MissingCapability, Permissions, RoleCatalog } from "./permissions.ts";
import type { PostLedger } from "./post-ledger.ts";
import { type Peek, SessionLists, type SnapshotListener } from "./session-lists.ts";
import { SessionPermissions } from "./session-permissions.ts";
import { SessionReach } from "./session-reach.ts";
import { SessionReads } from "./session-reads.ts";
import { SessionRecoveries } from "./session-recoveries.ts";
import { type NameListener, SessionViews } from "./session-views.ts";
import { newGroupMs, SessionWrites } from "./session-writes.ts";
import { SnapshotBatcher } from "./snapshot-batcher.ts";
import type { SharedRoles } from "./shared-roles.ts";
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
  /** The roles of all sessions of the platform, which are in memory once. Absent: the session has its own. */
  readonly sharedRoles?: SharedRoles;
  readonly clock: Clock;
  /** Aborts the calls in flight and everything that waits. */
  readonly signal: AbortSignal;
  /** Must permit each write: the operator's identity records this operator. Absent in tests of other parts. */
  readonly owner?: OwnerCheck;
  /** Checked before each write: false once another process may be the leader. */
  readonly canWrite: () => boolean;
}

/** The age of a group for which `createdAt` returns something, at the most: it was created before the response arrived. */
const newGroupAgeMs = 2 * newGroupMs;

/**
 * One credential's access to the platform: what it is allowed to see, what it has seen, and the only way to write.
 *
 * **Expected flow.** A reconcile looks up the views and `posts`, decides on one step, and performs it through one of the
 * methods here: `refreshPermissions`, `ensureSnapshot`, `listNamed`, `read`, `readTogether`, `readIdentity`, `readRole`,
 * `readGrants`, `create`, `update` or `delete`. Then it looks again. The resync calls `listTogether` for each root.
 *
 * Most methods only forward. That is meant: here, in one place, is what the platform's side promises, and nobody outside of this folder
 * knows of its parts.
 *
 * **Guarantees.**
 * - The result of a call is in the views, and listeners have been called, before the returned promise resolves.
 * - A resource becomes `gone` only through a proof of absence or our own DELETE. A snapshot is recorded only if the
 *   permissions to see all of it were held before its list, and read again after it.
 * - After a PATCH or DELETE with an unknown outcome the resource is `stale`; after such a POST, `postUnknownSince`
 *   returns when it was sent. Both last until a later response shows the resource, or its absence is proven.
 * - Nothing is written while the operator's identity records another owner, nor below a root that cannot be read, nor once
 *   `canWrite` returns false, and nothing is listed outside of `groups`. The owner was read at most a minute before; for a DELETE, and
 *   for a PATCH of `authenticationFields`, after the call was made.
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
  readonly #reach: SessionReach;
  readonly #permissions: SessionPermissions;
  readonly #seen: SessionViews;
  readonly #batcher: SnapshotBatcher;
  readonly #lists: SessionLists;
  readonly #reads: SessionReads;
  readonly #names: NameLists;
  readonly #writes: SessionWrites;
  readonly #recoveries: SessionRecoveries;
  readonly #nameListeners: NameListener[] = [];

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#reach = new SessionReach(options.roots);
    this.#permissions = new SessionPermissions({ ...options, reach: this.#reach });
    this.#seen = new SessionViews(options.collections, options.posts, (collection, name, uid) => {
      for (const listener of this.#nameListeners) listener(collection, name, uid);
    });
    const shared = { ...options, permissions: this.#permissions, views: this.#seen };
    this.#lists = new SessionLists(shared);
    this.#reads = new SessionReads({
      ...shared,
      onChanged: (collection, uids) => this.#lists.notify(collection, uids),
    });
    this.#names = new NameLists({
      ...shared,
      onListed: (collection, uids) => this.#lists.notify(collection, uids),
    });
    this.#writes = new SessionWrites({ ...shared, reads: this.#reads });
    this.#recoveries = new SessionRecoveries(options.api, options.owner, options.signal);
    this.#batcher = new SnapshotBatcher({
      viewOf: (collection) => this.#seen.viewOf(collection),
      rootAbove: (collection, group) => this.#permissions.rootAbove(collection, group),
      list: (collection, scope) => this.#lists.list(collection, scope),
      clock: options.clock,
      signal: options.signal,
    });
  }

  /** The groups below which the session reads and writes. */
  get roots(): readonly string[] {
    return this.#options.roots;
  }

  /** The roots, and the groups outside of them that the session was extended to. */
  get groups(): readonly string[] {
    return this.#reach.groups;
  }

  /** Lets the session read and write below `group`, too, which somebody granted. The platform still decides what it may do. */
  extendTo(group: string): void {
    this.#reach.extendTo(group);
  }

  /** Ends the extensions to groups that are not used any longer. */
  retainExtensions(isUsed: (group: string) => boolean): void {
    this.#reach.retain(isUsed);
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
    return this.posts.unknownSince(key, this.#knows(collection, key));
  }

  /**
   * When this process last created a resource with this natural key that this session has not seen: through another
   * session, which may have ended since. What the ledger has forgotten counts as such a resource, except in a group that is
   * newer than that.
   * @param parent the group in which the resource would be, if it is known.
   */
  createdElsewhereAt(collection: ManagedCollection, key: string, parent?: string): MonotonicTime | undefined {
    const isNew = parent !== undefined && this.createdAt(parent) !== undefined;
    const since = isNew ? this.#options.clock.monotonic() - newGroupAgeMs : undefined;
    return this.posts.createdUnseenAt(key, this.#knows(collection, key), since);
  }

  /** Whether the session has seen the resource with this uid and natural key, or a proof that it is gone. */
  #knows(collection: ManagedCollection, key: string): (uid: string) => boolean {
    const view = this.viewOf(collection);
    return (uid) => view.stateOf(uid).is === "gone" || view.withKey(key).some((known) => known.uid === uid);
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

  /** Capabilities without which nothing is believed of a collection, and that the identity lacks in a root it can read. */
  get missingCapabilities(): readonly MissingCapability[] {
    const { permissions, unreadableRoots } = this;
    if (permissions === undefined) return [];
    const readable = this.roots.filter((root) => !unreadableRoots.includes(root));
    return readable.flatMap((group) =>
      this.#options.collections
        .filter(({ listCapability }) => !permissions.allow(listCapability, group))
        .map(({ listCapability: capability }) => ({ capability, group })),
    );
  }

  /** Why no calls are sent; undefined while they are. */
  get outage(): Outage | undefined {
    return this.#options.api.suspension.outage;
  }

  /** Why no writes are sent but one at a time; undefined while they are, and during an outage of all calls. */
  get writeOutage(): Outage | undefined {
    return this.outage === undefined ? this.#options.api.writes.outage : undefined;
  }

  /**
   * Increases each time that an outage ends, and that what kept every session from writing ends (`OwnerCheck`). What failed
   * because of it can then be tried again.
   */
  get recoveries(): number {
    return this.#recoveries.count;
  }

  /** Calls `listener` each time that `recoveries` has increased. */
  onRecovery(listener: () => void): void {
    this.#recoveries.onRecovery(listener);
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
    this.#options.api.suspension.onChange(listener);
  }

  /** Calls `listener` when an outage of writes only starts, changes its class, or ends. */
  onWriteOutageChange(listener: OutageListener): void {
    this.#options.api.writes.onChange(listener);
  }

  /** Calls `listener` when one write is wanted, to see whether an outage of writes has ended. */
  onTrialWanted(listener: () => void): void {
    this.#options.api.trials.onWanted(listener, this.#options.signal);
  }

  /** Calls `listener` after each complete list, before the callers that wait for the list continue. */
  onSnapshot(listener: SnapshotListener): void {
    this.#lists.onSnapshot(listener);
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

  /**
   * When this process created the group: undefined if it did not within the last minute. Until then, the group contains only what this
   * process created, and what others created there since.
   */
  createdAt(group: string): MonotonicTime | undefined {
    return this.#writes.createdAt(group);
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
  list(collection: ManagedCollection, scope: ListScope): Promise<void> {
    return this.#lists.list(collection, scope);
  }

  /**
   * Records a snapshot of each scope for each collection. One read of the permissions confirms all of them.
   * @returns the outcomes of the collections, in their order, for each scope. The failure of one does not prevent the others.
   */
  listTogether(
    collections: readonly ManagedCollection[],
    scopes: readonly ListScope[],
  ): Promise<readonly (readonly PromiseSettledResult<void>[])[]> {
    return this.#lists.listTogether(collections, scopes);
  }

  /** Lists a scope of any type, also above the roots, without recording it. @throws {PlatformFailure} */
  peek<R extends ExternalResource>(type: ResourceType<R>, capability: string, scope: ListScope): Promise<Peek<R>> {
    return this.#lists.peek(type, capability, scope);
  }

  /** Reads one resource, or proves that it is absent, after a DELETE of it that is under way. Rejects if neither succeeds. */
  read(collection: ManagedCollection, uid: string): Promise<void> {
    return this.#reads.read(collection, uid);
  }

  /**
   * As `read`, with a read that starts at or after `startedAfter`. `others` are read together with it, as many as fit: see
   * `JointReads`.
   */
  readTogether(
    collection: ManagedCollection,
    uid: string,
    startedAfter: MonotonicTime,
    others: readonly string[],
  ): Promise<void> {
    return this.#reads.readTogether(collection, uid, startedAfter, others);
  }

  /** Lists the children of `parent` with this name, or all of them: see `NameLists`. */
  listNamed(collection: ManagedCollection, parent: string, name: string, startedAfter: MonotonicTime): Promise<void> {
    return this.#names.list(collection, parent, name, startedAfter);
  }

  /** When the latest list was started that would have shown a child of `parent` with this name; undefined if there was none. */
  nameListedAt(collection: ManagedCollection, parent: string, name: string): MonotonicTime | undefined {
    return this.#names.listedAt(collection, parent, name);
  }

  /**
   * Reads one identity, or proves that it is absent. Callers that wait for the same identity share one read. Rejects if
   * neither succeeds.
   */
  readIdentity(identity: string): Promise<void> {
    return this.#reads.readIdentity(identity);
  }

  /** Reads one role of a group, as `readIdentity` reads an identity. */
  readRole(role: string): Promise<void> {
    return this.#reads.readRole(role);
  }

  /** Reads the role bindings of an identity or of a role, in every group in which the session may see them. */
  readGrants(of: GrantsOf): Promise<void> {
    return this.#reads.readGrants(of);
  }

  /** What `readGrants` read last, within the last minutes. */
  grantsOf(uid: string): Grants | undefined {
    return this.#reads.grantsOf(uid);
  }

  /**
   * Creates one resource below `parent`; `key` is its natural key. Rejects with `parentGone` if the platform does not find
   * something and the parent is proven to be gone.
   */
  create(
    collection: ManagedCollection,
    parent: string,
    body: Readonly<Record<string, unknown>>,
    key: string,
  ): Promise<ExternalResource> {
    return this.#writes.create(collection, parent, body, key);
  }

  /** Changes the fields in `mask`. */
  update(
    collection: ManagedCollection,
    uid: string,
    body: Readonly<Record<string, unknown>>,
    mask: readonly string[],
  ): Promise<ExternalResource> {
    return this.#writes.update(collection, uid, body, mask);
  }

  /** Deletes one resource. Resolves also if it was absent before and that is proven. */
  delete(collection: ManagedCollection, uid: string): Promise<void> {
    return this.#writes.delete(collection, uid);
  }
}
