import { Breaker, type OpenBreaker } from "./breaker.ts";

/** The breakers of all Tenants and kinds. */
export class Breakers {
  readonly #newId: () => string;
  /** By Tenant, then by kind. A Tenant without an entry has no missing resources. */
  readonly #breakers = new Map<string, Map<string, Breaker>>();
  /** The Tenants with an entry that are not served. */
  readonly #retired = new Set<string>();

  /** @param newId returns a text that it never returned before. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  of(tenant: string, kind: string): Breaker {
    this.#retired.delete(tenant);
    const ofTenant = this.#breakers.get(tenant) ?? new Map<string, Breaker>();
    this.#breakers.set(tenant, ofTenant);
    const breaker = ofTenant.get(kind) ?? new Breaker(this.#newId);
    ofTenant.set(kind, breaker);
    return breaker;
  }

  holds(tenant: string, kind: string, uid: string): boolean {
    return this.#breakers.get(tenant)?.get(kind)?.holds(uid) ?? false;
  }

  /** The object that claims `uid` has another Tenant now. What was held for it stays held, and is confirmed there. */
  move(kind: string, uid: string, tenant: string): void {
    for (const [name, ofTenant] of this.#breakers) {
      const breaker = ofTenant.get(kind);
      if (name === tenant || breaker?.holds(uid) !== true) continue;
      breaker.release(uid);
      this.of(tenant, kind).hold(uid);
    }
    this.#forgetRetired();
  }

  /** No object of this kind claims `uid` any longer. */
  release(kind: string, uid: string): void {
    for (const ofTenant of this.#breakers.values()) ofTenant.get(kind)?.release(uid);
    this.#forgetRetired();
  }

  /** The uids that may be re-created because a person confirmed the breaker with this id, by kind. */
  confirm(tenant: string, id: string): ReadonlyMap<string, readonly string[]> {
    const confirmed = new Map<string, readonly string[]>();
    for (const [kind, breaker] of this.#breakers.get(tenant) ?? []) {
      const uids = breaker.confirm(id);
      if (uids.length > 0) confirmed.set(kind, uids);
    }
    return confirmed;
  }

  /** The open breakers of a Tenant, by kind. */
  open(tenant: string): ReadonlyMap<string, OpenBreaker> {
    const open = new Map<string, OpenBreaker>();
    for (const [kind, breaker] of this.#breakers.get(tenant) ?? [])
      if (breaker.open !== undefined) open.set(kind, breaker.open);
    return open;
  }

  /**
   * The Tenant is not served any longer. What is held for it stays held until its object is gone, or has another Tenant: to
   * delete a Tenant must not be a way to have everything re-created.
   */
  retire(tenant: string): void {
    this.#retired.add(tenant);
    this.#forgetRetired();
  }

  /** Whether nothing is held of a kind, nor confirmed: then only a missing resource can change that. */
  isIdle(kind: string): boolean {
    return this.#breakers.values().every((ofTenant) => ofTenant.get(kind)?.isIdle !== false);
  }

  /** Whether any resource is held, for whichever Tenant. */
  get holdsAny(): boolean {
    return this.#breakers.values().some((ofTenant) => ofTenant.values().some(({ open }) => open !== undefined));
  }

  /** How many resources are held for the Tenant. */
  heldIn(tenant: string): number {
    let held = 0;
    for (const { open } of this.#breakers.get(tenant)?.values() ?? []) held += open?.missing ?? 0;
    return held;
  }

  /** Forgets the Tenants that are not served and have nothing that is held. */
  #forgetRetired(): void {
    for (const tenant of this.#retired)
      if (this.heldIn(tenant) === 0) {
        this.#breakers.delete(tenant);
        this.#retired.delete(tenant);
      }
  }
}
