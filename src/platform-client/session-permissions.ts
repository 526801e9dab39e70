import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import type { PlatformApi } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { isRejection, PlatformFailure } from "./failure.ts";
import { groups } from "./permission-resources.ts";
import { isWithin } from "./uid.ts";
import { type Permissions, type RoleCatalog, readPermissions } from "./permissions.ts";
import type { SharedRoles } from "./shared-roles.ts";
import type { SessionReach } from "./session-reach.ts";

export interface SessionPermissionsOptions {
  readonly api: PlatformApi;
  readonly identity: string;
  readonly reach: SessionReach;
  readonly credentialEpoch: () => number;
  /** Shared by the sessions of one platform. */
  readonly sharedRoles?: SharedRoles;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

interface ReadPermissions {
  readonly permissions: Permissions;
  readonly roles: RoleCatalog;
  /** The groups of the session's reach that were read. */
  readonly groups: ReadonlySet<string>;
  /** Those that a GET could not read, with its failure: nothing below them is believed or written. */
  readonly unreadableRoots: ReadonlyMap<string, unknown>;
  readonly epoch: number;
  readonly readAt: MonotonicTime;
  /** The number of the read, in the order in which the reads started. */
  readonly number: number;
}

/** Insufficient permissions are read again after this time at the earliest. */
const retryMs = 1_000;

/**
 * The permissions of a session's identity. They are read once per token; again (at most once per second) while a caller
 * requires more than they grant, because an administrator may have granted more since; and again after each response that
 * is to prove an absence.
 */
export class SessionPermissions {
  readonly #options: SessionPermissionsOptions;
  readonly #listeners: (() => void)[] = [];
  readonly #readListeners: (() => void)[] = [];
  #current: ReadPermissions | undefined;
  #reading: Promise<void> | undefined;
  #started = 0;

  constructor(options: SessionPermissionsOptions) {
    this.#options = options;
  }

  get permissions(): Permissions | undefined {
    return this.#current?.permissions;
  }

  get roles(): RoleCatalog | undefined {
    return this.#current?.roles;
  }

  get unreadableRoots(): readonly string[] {
    return this.#options.reach.roots.filter((root) => this.#current?.unreadableRoots.has(root) === true);
  }

  /** How many reads have started: a response that was received now is confirmed by a read with a higher number. */
  get readsStarted(): number {
    return this.#started;
  }

  /** Calls `listener` after each read under a new token. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` after each read. */
  onRead(listener: () => void): void {
    this.#readListeners.push(listener);
  }

  /**
   * Reads permissions and roles, unless they were read under the current token, together with all groups of the session's
   * reach. @throws {PlatformFailure}
   */
  async refresh(): Promise<void> {
    if (this.#current === undefined || this.#current.epoch !== this.#options.credentialEpoch()) await this.#read();
    // The reach may have been extended while the read was in flight.
    if (!this.#coversReach()) await this.#read();
    if (!this.#coversReach()) await this.#read();
  }

  #coversReach(): boolean {
    return this.#options.reach.groups.every((group) => this.#current?.groups.has(group) === true);
  }

  /** Reads permissions and roles. @throws {PlatformFailure} */
  async reread(): Promise<void> {
    await this.#read();
  }

  /** The root that `uid` is within. @throws {PlatformFailure} of kind `permissions` outside all roots. */
  rootAbove(collection: ManagedCollection, uid: string): string {
    const root = this.#options.reach.rootAbove(uid);
    if (root !== undefined) return root;
    throw new PlatformFailure(`list ${collection.name}`, {
      kind: "permissions",
      capability: collection.listCapability,
      scope: uid,
    });
  }

  /**
   * Requires that the identity could read the root above `uid` when the permissions were read last: nothing is written below
   * a root that cannot be read. What is outside of all roots, and permissions that were never read, are not judged here.
   * @throws {PlatformFailure} the failure of reading the root.
   */
  async requireReadableRoot(uid: string): Promise<void> {
    const root = this.#options.reach.roots.find((candidate) => isWithin(uid, candidate));
    if (root === undefined || this.#current?.unreadableRoots.has(root) !== true) return;
    await this.#readIfOld();
    if (this.#current.unreadableRoots.has(root)) throw this.#current.unreadableRoots.get(root);
  }

  /**
   * Requires that the identity can see all of `collection` in `group`, and can read the root above it. Only then does a
   * missing resource mean an absent one.
   * @throws {PlatformFailure} of kind `permissions`, or the failure of reading the root or the permissions.
   */
  async requireList(collection: ManagedCollection, group: string): Promise<void> {
    const root = this.rootAbove(collection, group);
    await this.refresh();
    if (this.#problem(collection, group, root) === undefined) return;
    await this.#readIfOld();
    const problem = this.#problem(collection, group, root);
    if (problem !== undefined) throw problem;
  }

  /**
   * Requires the same as `requireList`, of permissions that were read after the response that is to prove an absence:
   * permissions that were lost before it would make everything look absent. One read serves all responses before it.
   * @param readsStarted what `readsStarted` was when the response was received.
   * @throws {PlatformFailure} as `requireList` does.
   */
  async requireListAfter(readsStarted: number, collection: ManagedCollection, group: string): Promise<void> {
    const root = this.rootAbove(collection, group);
    await this.readAfter(readsStarted);
    const problem = this.#problem(collection, group, root);
    if (problem !== undefined) throw problem;
  }

  /** Reads permissions and roles, unless a read with a number above `readsStarted` has succeeded. @throws {PlatformFailure} */
  async readAfter(readsStarted: number): Promise<void> {
    const isRead = () => (this.#current?.number ?? 0) > readsStarted;
    // A read in flight may have started before.
    if (!isRead() && this.#started <= readsStarted) await this.#reading?.catch(() => undefined);
    if (!isRead()) await this.#read();
  }

  #problem(collection: ManagedCollection, group: string, root: string): unknown {
    const capability = collection.listCapability;
    const lacking = () => new PlatformFailure("read permissions", { kind: "permissions", capability, scope: group });
    const isAllowed = this.#current?.permissions.allow(capability, group) === true;
    // The group exists, because somebody granted it: what the identity cannot read there, it lacks a role for.
    if (!isAllowed && this.#options.reach.extensions.has(root)) return lacking();
    if (this.#current?.unreadableRoots.has(root)) return this.#current.unreadableRoots.get(root);
    return isAllowed ? undefined : lacking();
  }

  async #readIfOld(): Promise<void> {
    if (this.#options.clock.monotonic() >= (this.#current?.readAt ?? 0) + retryMs) await this.#read();
  }

  /** One read serves all callers that wait for it. */
  async #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async #readOnce(): Promise<void> {
    const { api, identity, reach, clock, signal, credentialEpoch, sharedRoles } = this.#options;
    this.#started += 1;
    const number = this.#started;
    const read = await readPermissions(api, identity, signal, sharedRoles);
    const unreadableRoots = new Map<string, unknown>();
    const { groups: reached } = reach;
    for (const root of reached) {
      try {
        await api.get(groups, root, signal);
      } catch (error) {
        // Only the platform decides that a root cannot be read. After another failure, nothing is known of it.
        if (!isRejection(error, "NOT_FOUND") && !isRejection(error, "PERMISSION_DENIED")) throw error;
        unreadableRoots.set(root, error);
      }
    }
    const previousEpoch = this.#current?.epoch;
    this.#current = {
      ...read,
      groups: new Set(reached),
      unreadableRoots,
      epoch: credentialEpoch(),
      readAt: clock.monotonic(),
      number,
    };
    for (const listener of this.#readListeners) listener();
    if (previousEpoch !== this.#current.epoch) for (const listener of this.#listeners) listener();
  }
}
