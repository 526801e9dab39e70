import { rootOf } from "../contract/uid.ts";

/** Whom a share belongs to. */
export type ShareScope = "address" | "network" | "proxies" | "unauthenticated" | "identity" | "rootGroup";

/** The part of a pool that one caller may use. */
export interface Share {
  readonly scope: ShareScope;
  /** Distinguishes the callers of all scopes: an address, the uid of an identity or of a root group, or a word. */
  readonly key: string;
}

/**
 * How much a caller may use, as a multiple of what is free. A root group may use more than one of its identities, so that
 * an identity leaves room for the others of its root group; likewise a network, or all unauthenticated callers, and one address.
 * Trusted proxies connect for most clients, and leave room for those that come directly, such as the probes of a kubelet.
 */
const weights: Readonly<Record<ShareScope, number>> = {
  address: 2,
  network: 4,
  proxies: 15,
  unauthenticated: 4,
  identity: 2,
  rootGroup: 4,
};

/**
 * Whether a caller that uses `used` of a pool may take `amount` more. Callers share what is free: with a weight of 2, a
 * single caller may use two thirds of an otherwise unused pool, two callers two fifths each. Whatever the number of busy
 * callers, a part remains free for those that use nothing. What one caller does not use, others may.
 */
export function mayTake(amount: number, used: number, free: number, scope: ShareScope): boolean {
  return amount <= free && used + amount <= weights[scope] * free;
}

/** The share of a client by its address, in a pool that only unauthenticated clients use. */
export function addressShare(address: string): Share {
  return { scope: "address", key: address };
}

/**
 * The shares of a client in a pool that is too small for all addresses that one client may have: its own and that of its network,
 * which is a /24 of IPv4 and a /48 of IPv6.
 * @param address a key of it, as `ClientAddresses` returns it
 */
export function networkShares(address: string): readonly Share[] {
  const network = address.includes(":") ? address.split(":").slice(0, 3).join(":") : address.replace(/\.\d+$/, "");
  return [{ scope: "network", key: `network ${network}` }, addressShare(address)];
}

/** The shares of an unauthenticated client: those of its address and of all unauthenticated clients together. */
export function unauthenticatedShares(address: string): readonly Share[] {
  return [everybody, addressShare(address)];
}

/** The shares of all trusted proxies together, in a pool of what they hold for clients that they do not name. */
export const proxiesShares: readonly Share[] = [{ scope: "proxies", key: "proxies" }];

const everybody: Share = { scope: "unauthenticated", key: "unauthenticated" };

/** The shares of an identity: its own and that of its root group. @param uid of the identity */
export function identityShares(uid: string): readonly Share[] {
  return [rootGroupShare(uid), { scope: "identity", key: uid }];
}

/** The share of the root group of a resource, by the uid of the resource. */
export function rootGroupShare(uid: string): Share {
  return { scope: "rootGroup", key: rootOf(uid) };
}

/** The shares of the admin, which belongs to no root group. */
export const adminShares: readonly Share[] = [{ scope: "identity", key: "admin" }];

const unattributed: Share = { scope: "unauthenticated", key: "unattributed" };

/** The shares of work for nobody in particular, such as that of the platform itself. */
export const unattributedShares: readonly Share[] = [unattributed];

/** Whether the outermost share with this key is that of a root group or of the admin. */
export function isAuthenticated(key: string): boolean {
  return key !== everybody.key && key !== unattributed.key;
}
