import type { KubeObject, ObjectMeta } from "#src/kube/object.ts";
import type { ReadStore } from "#src/kube/store.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { boundaryOf, type OuterBound } from "./boundary.ts";
import { type CachedTenant, isBeingDeleted } from "./cached-tenant.ts";
import { isSelected, NamespaceSelection } from "./namespace-selection.ts";
import type { Governance, GovernedObject, Tenancy, TenancyChange, TenantContext } from "./tenancy.ts";
import type { TenantSessions } from "./tenant-sessions.ts";

export type TenantStore = ReadStore<CachedTenant, never>;
export type NamespaceStore = ReadStore<CachedNamespace, never>;

/** A namespace as the store caches it. */
export interface CachedNamespace {
  readonly metadata: ObjectMeta;
}

/** Of a namespace, only the metadata is kept. */
export function parseNamespace({ metadata }: KubeObject): CachedNamespace {
  return { metadata };
}

export interface LiveTenancyOptions {
  readonly tenants: TenantStore;
  readonly namespaces: NamespaceStore;
  readonly sessions: TenantSessions;
  readonly outer: OuterBound;
  /** The class of the Tenants that this operator serves. */
  readonly class: string;
  /** From this time on, no request of an earlier leader can still take effect. */
  readonly settledAt: MonotonicTime;
}

/**
 * The Tenants of the cluster, as they are now.
 *
 * *Expected flow*: every change of a Tenant or namespace is applied before the listeners of `onChange` are called, who
 * enqueue the objects that it concerns. Until both have been read, nothing is served.
 *
 * *Guarantees*: an object has at most one Tenant; if several select its namespace, none serves it, whatever their classes.
 * Outside of the operator's allowed namespaces no Tenant selects anything. A Tenant that is being deleted, or that does not
 * match its schema, selects nothing; the first still serves the objects that are being deleted.
 */
export class LiveTenancy implements Tenancy {
  readonly #options: LiveTenancyOptions;
  readonly #selection = new NamespaceSelection();
  /** Of the Tenants that this operator serves. */
  readonly #contexts = new Map<string, TenantContext>();
  readonly #listeners: ((change: TenancyChange) => void)[] = [];
  #credentialIdentities: ReadonlySet<string> = new Set();
  #breakGlassIdentities: ReadonlySet<string> = new Set();
  /** The Tenants with a session of their own, by the session. */
  readonly #ownSessions = new WeakMap<PlatformSession, string>();

  constructor(options: LiveTenancyOptions) {
    this.#options = options;
    const { tenants, namespaces } = options;
    for (const { metadata } of namespaces.values()) this.#selection.setNamespace(metadata.name, metadata.labels ?? {});
    this.#collectIdentities();
    for (const tenant of tenants.values()) this.#apply(tenant.metadata.name, tenant);
    namespaces.onChange((before, after) => this.#onNamespaceChanged(before, after));
    tenants.onChange((before, after) => this.#onTenantChanged(before, after));
    if (!this.#isRead()) for (const store of [tenants, namespaces]) store.onSynced(() => this.#onSynced());
  }

  get contexts(): Iterable<TenantContext> {
    return this.#contexts.values();
  }

  get sessions(): Iterable<PlatformSession> {
    return Array.from(this.#options.sessions.all(), ({ session }) => session);
  }

  get credentialIdentities(): ReadonlySet<string> {
    return this.#credentialIdentities;
  }

  get breakGlassIdentities(): ReadonlySet<string> {
    return this.#breakGlassIdentities;
  }

  onSession(listener: (session: PlatformSession) => void): void {
    this.#options.sessions.onSession(({ session }) => listener(session));
  }

  onChange(listener: (change: TenancyChange) => void): void {
    this.#listeners.push(listener);
  }

  /** The context of a Tenant; undefined if this operator does not serve it. */
  contextOf(tenant: string): TenantContext | undefined {
    return this.#contexts.get(tenant);
  }

  /** The names of the Tenants that select the namespace, of any class, sorted. */
  tenantsOf(namespace: string): readonly string[] {
    const { namespaces } = this.#options.outer;
    return namespaces === null || namespaces.includes(namespace) ? this.#selection.tenantsOf(namespace) : [];
  }

  namespacesOf(session: PlatformSession): readonly string[] | undefined {
    const tenant = this.#ownSessions.get(session);
    return tenant === undefined ? undefined : this.#selection.namespacesOf(tenant);
  }

  /** The existing namespaces that the Tenant selects, also those that the operator's settings do not allow. */
  namespacesSelectedBy(tenant: string): readonly string[] {
    return this.#selection.namespacesOf(tenant);
  }

  isTerminating(namespace: string): boolean {
    return this.#options.namespaces.get(namespace)?.metadata.deletionTimestamp !== undefined;
  }

  governanceOf({ metadata, status }: GovernedObject, ends = metadata.deletionTimestamp !== undefined): Governance {
    if (!this.#isRead()) return { by: "unserved" };
    const namespace = metadata.namespace ?? "";
    const selecting = this.tenantsOf(namespace);
    if (ends) {
      const deletion = this.#governanceOfDeletion(namespace, status?.tenant, selecting);
      if (deletion !== undefined) return deletion;
    }
    // A namespace that was created a moment ago may have labels that select it.
    if (selecting.length === 0 && this.#options.namespaces.get(namespace) === undefined) return { by: "unserved" };
    const served = selecting.filter((name) => this.#isServed(name));
    if (served.length === 0) {
      // Without a class, the operator speaks for the namespaces that no Tenant of any class selects.
      return selecting.length === 0 && this.#options.class === "" ? { by: "none" } : { by: "unserved" };
    }
    const [name] = served;
    if (name === undefined || selecting.length > 1) return { by: "several", tenants: selecting };
    const context = this.#contexts.get(name);
    return context === undefined ? { by: "none" } : { by: "tenant", context, serves: "everything" };
  }

  /** @param named the Tenant that the object's status names. */
  #governanceOfDeletion(
    namespace: string,
    named: string | undefined,
    selecting: readonly string[],
  ): Governance | undefined {
    if (named !== undefined && this.#options.tenants.get(named) !== undefined) {
      const context = this.#contexts.get(named);
      if (context === undefined) return this.#isServed(named) ? undefined : { by: "unserved" };
      const selects = selecting.length === 1 && selecting[0] === named;
      return { by: "tenant", context, serves: selects ? "everything" : "deletions" };
    }
    if (selecting.length > 0) return undefined;
    const leaving = this.#leavingTenantOf(namespace);
    if (leaving === undefined) return undefined;
    const context = this.#contexts.get(leaving);
    return context === undefined ? { by: "unserved" } : { by: "tenant", context, serves: "deletions" };
  }

  /** The only Tenant that is being deleted and selected the namespace. */
  #leavingTenantOf(namespace: string): string | undefined {
    const { tenants, namespaces } = this.#options;
    const labels = namespaces.get(namespace)?.metadata.labels;
    const leaving: string[] = [];
    for (const tenant of tenants.values())
      if (isBeingDeleted(tenant) && tenant.spec !== undefined && isSelected(tenant.spec, namespace, labels))
        leaving.push(tenant.metadata.name);
    return leaving.length === 1 ? leaving[0] : undefined;
  }

  #isServed(tenant: string): boolean {
    return this.#options.tenants.get(tenant)?.class === this.#options.class;
  }

  #isRead(): boolean {
    const { tenants, namespaces } = this.#options;
    return tenants.synced && namespaces.synced;
  }

  #onSynced(): void {
    if (!this.#isRead()) return;
    const { tenants, namespaces } = this.#options;
    const all = new Set(tenants.keys());
    const none = new Set<string>();
    this.#notify({ namespaces: new Set(namespaces.keys()), tenants: all, selecting: all, identities: none });
  }

  #onNamespaceChanged(before: CachedNamespace | undefined, after: CachedNamespace | undefined): void {
    const name = (after ?? before)?.metadata.name;
    if (name === undefined) return;
    const selected = this.#selection.tenantsOf(name);
    const changed = this.#selection.setNamespace(name, after === undefined ? undefined : (after.metadata.labels ?? {}));
    const selecting = new Set([...selected, ...this.#selection.tenantsOf(name)]);
    const isTerminating = before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;
    if (changed || before === undefined || isTerminating)
      this.#notify({ namespaces: new Set([name]), tenants: new Set(), selecting, identities: new Set() });
  }

  #onTenantChanged(before: CachedTenant | undefined, after: CachedTenant | undefined): void {
    const name = (after ?? before)?.metadata.name;
    if (name === undefined || !isDifferent(before, after)) return;
    const identities = this.#collectIdentities();
    const namespaces = this.#apply(name, after);
    const others = [...namespaces].flatMap((namespace) => this.#selection.tenantsOf(namespace));
    this.#notify({ namespaces, tenants: new Set([name]), selecting: new Set([name, ...others]), identities });
  }

  /** Records a Tenant as it is now; undefined: it is gone. @returns the namespaces that this concerns. */
  #apply(name: string, tenant: CachedTenant | undefined): Set<string> {
    const { sessions, outer, settledAt } = this.#options;
    const spec = tenant?.spec;
    const selects = tenant !== undefined && !isBeingDeleted(tenant) ? spec : undefined;
    const changed = this.#selection.setTenant(name, selects);
    if (tenant === undefined || spec === undefined || tenant.class !== this.#options.class) {
      this.#contexts.delete(name);
      sessions.end(name);
    } else {
      const boundary = boundaryOf(spec, outer);
      const { session, identity, credentialEpoch } = sessions.sessionOf(tenant, tenant.identityUid, boundary);
      if (session !== sessions.operator.session) this.#ownSessions.set(session, name);
      this.#contexts.set(name, { name, session, boundary, identity, credentialEpoch, settledAt });
    }
    return new Set([...changed, ...this.#selection.namespacesOf(name)]);
  }

  /** @returns the identities that are in one of the two sets now and were not before, or the reverse. */
  #collectIdentities(): ReadonlySet<string> {
    const { tenants, sessions } = this.#options;
    const [credentials, breakGlass] = [this.#credentialIdentities, this.#breakGlassIdentities];
    const identities = Array.from(tenants.values(), ({ identityUid }) => identityUid);
    this.#credentialIdentities = new Set(
      [sessions.operator.identity, ...identities].filter((identity) => identity !== undefined),
    );
    this.#breakGlassIdentities = new Set(Array.from(tenants.values(), ({ breakGlass: uids }) => uids).flat());
    return new Set([
      ...credentials.symmetricDifference(this.#credentialIdentities),
      ...breakGlass.symmetricDifference(this.#breakGlassIdentities),
    ]);
  }

  #notify(change: TenancyChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** Whether more than the status or the metadata of the Tenant differs. */
function isDifferent(before: CachedTenant | undefined, after: CachedTenant | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return (
    before.metadata.uid !== after.metadata.uid ||
    before.metadata.generation !== after.metadata.generation ||
    isBeingDeleted(before) !== isBeingDeleted(after)
  );
}
