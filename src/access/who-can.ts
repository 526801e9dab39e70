import { type AccessModel, bindingGives, bindingsOn, noLimits } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { expiredAt } from "./expiry.ts";
import { type Unread, unreadBindingsOn, unreadRoles } from "./unread.ts";

/** An identity that has a capability. */
export interface Holder {
  readonly identity: { readonly uid: string; readonly name: string };
  /** The role bindings that grant it, from the root down; at least one. */
  readonly through: readonly KnownBinding[];
  /** RFC 3339: when its static keys have expired. Then nobody can use the identity. */
  readonly expired?: string;
}

export interface Holders {
  /** In the order of the groups in which they have the capability, from the root down. */
  readonly holders: readonly Holder[];
  /** Identities that may have it, too: their roles cannot be read. Each with the role bindings. */
  readonly possible: readonly Holder[];
  /** If this is not empty, there may be more of them. */
  readonly unread: readonly Unread[];
}

/**
 * Which identities have a capability on `at`: a group, or a resource in one.
 * @param now milliseconds since the epoch
 */
export function whoCan(model: AccessModel, capability: string, at: string, now: number): Holders {
  const bindings = bindingsOn(model, at);
  const effects = Map.groupBy(bindings, (binding) =>
    bindingGives(model, binding, { at, capability, limits: noLimits }),
  );
  const holders = holdersOf(model, effects.get(true) ?? [], now);
  const undecided = effects.get(undefined) ?? [];
  const known = new Set(holders.map(({ identity }) => identity.uid));
  return {
    holders,
    possible: holdersOf(model, undecided, now).filter(({ identity }) => !known.has(identity.uid)),
    unread: [...unreadBindingsOn(model, at), ...unreadRoles(undecided)],
  };
}

function holdersOf(model: AccessModel, bindings: readonly KnownBinding[], now: number): readonly Holder[] {
  const byIdentity = Map.groupBy(bindings, ({ identity }) => identity.uid);
  return [...byIdentity.values()].flatMap((through) => {
    const [first] = through;
    if (first === undefined) return [];
    const expired = expiredAt(model.identities.get(first.identity.uid), now);
    return [{ identity: first.identity, through, ...(expired === undefined ? {} : { expired }) }];
  });
}
