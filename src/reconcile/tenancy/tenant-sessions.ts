import type { PlatformSession } from "#src/platform-client/session.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import type { CachedTenant } from "./cached-tenant.ts";
import type { Boundary } from "./boundary.ts";
import { outermostGroups } from "./boundary.ts";

/** Which identity a session assumes, and below which groups it reads and writes. */
export interface SessionCredential {
  /** The uid of the identity. */
  readonly identity: string;
  /** The uids of groups, none of which is below another. */
  readonly roots: readonly string[];
}

/** A session and its token. */
export interface ConnectedSession {
  readonly session: PlatformSession;
  /** The number of token exchanges so far. */
  readonly credentialEpoch: () => number;
  /** When the current token expires; undefined if there is none. */
  readonly tokenExpiresAt?: () => MonotonicTime | undefined;
}

/** A session that is served. */
export interface ServedSession extends ConnectedSession, SessionCredential {
  /** The name of the Tenant whose session it is; undefined: the operator's own. */
  readonly tenant: string | undefined;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
}

/** Opens the session of a Tenant that has credentials of its own. */
export type OpenTenantSession = (
  tenant: string,
  credential: SessionCredential,
  signal: AbortSignal,
) => ConnectedSession;

interface OwnSession {
  readonly served: ServedSession;
  /** What the session was opened for: anything else needs another session, which has seen nothing yet. */
  readonly openedFor: string;
  readonly ending: AbortController;
}

/** The listener for every session that is served; it learns of the session's end by its signal. */
export type SessionListener = (session: ServedSession) => void;

/**
 * The operator's session, and one session for each Tenant that has credentials of its own.
 *
 * A Tenant gets another session when its credentials or its groups change, so that nothing that was seen with the old ones
 * remains. The calls of a session that ends are aborted; a POST among them remains in the ledger that all sessions share.
 */
export class TenantSessions {
  readonly operator: ServedSession;
  readonly #open: OpenTenantSession;
  readonly #own = new Map<string, OwnSession>();
  readonly #listeners: SessionListener[] = [];
  /** Aborts when the operator stops, and with it every session. */
  readonly #lifetime: AbortSignal;

  constructor(operator: ConnectedSession & SessionCredential, open: OpenTenantSession, lifetime: AbortSignal) {
    this.operator = { ...operator, tenant: undefined, signal: lifetime };
    this.#open = open;
    this.#lifetime = lifetime;
  }

  /** The session with which a Tenant is served. The Tenant's earlier session ends if it is another one. */
  sessionOf(
    { metadata: { name, uid } }: CachedTenant,
    identity: string | undefined,
    { groups }: Boundary,
  ): ServedSession {
    if (identity === undefined) {
      this.end(name);
      return this.operator;
    }
    const roots = outermostGroups(groups);
    const openedFor = JSON.stringify([uid, identity, roots.toSorted()]);
    const current = this.#own.get(name);
    if (current?.openedFor === openedFor) return current.served;
    this.end(name);
    const ending = new AbortController();
    const signal = AbortSignal.any([this.#lifetime, ending.signal]);
    const credential = { identity, roots };
    const served = { ...this.#open(name, credential, signal), ...credential, tenant: name, signal };
    this.#own.set(name, { served, openedFor, ending });
    for (const listener of this.#listeners) listener(served);
    return served;
  }

  /** Ends the Tenant's own session, if it has one. */
  end(tenant: string): void {
    const session = this.#own.get(tenant);
    this.#own.delete(tenant);
    session?.ending.abort(new Error(`the credentials or groups of Tenant ${tenant} changed`));
  }

  *all(): Iterable<ServedSession> {
    yield this.operator;
    for (const { served } of this.#own.values()) yield served;
  }

  /** Calls `listener` for every session, those that exist and those that come. */
  onSession(listener: SessionListener): void {
    this.#listeners.push(listener);
    for (const session of this.all()) listener(session);
  }
}
