import { Breaker, type OpenBreaker } from "./breaker.ts";

/** The breakers of all Tenants and kinds. */
export class Breakers {
  readonly #newId: () => string;
  /** By Tenant, then by kind. A Tenant without an entry has no missing resources. */
  readonly #breakers = new Map<string, Map<string, Breaker>>();

  /** @param newId returns a text that it never returned before. */
  constructor(newId: () => string) {
    this.#newId = newId;
  }

  of(tenant: string, kind: string): Breaker {
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
  }

  /** No object of this kind claims `uid` any longer. */
  release(kind: string, uid: string): void {
    for (const ofTenant of this.#breakers.values()) ofTenant.get(kind)?.release(uid);
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

  /** The Tenant does not exist any longer. */
  forget(tenant: string): void {
    this.#breakers.delete(tenant);
  }

  /** How many resources are held, for all Tenants. */
  get held(): number {
    let held = 0;
    for (const ofTenant of this.#breakers.values())
      for (const breaker of ofTenant.values()) held += breaker.open?.missing ?? 0;
    return held;
  }
}
