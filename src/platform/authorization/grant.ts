import { ancestorsOf, isWithin } from "../contract/uid.ts";
import type { Capability } from "../gen/muster/capabilities/capabilities_pb.ts";

/**
 * Capabilities that apply in a group and everywhere below it.
 * @typeParam C how a capability is represented: the platform's own ones, or names, for who reads them from an API
 */
export interface Grant<C = Capability> {
  readonly group: string;
  readonly capabilities: ReadonlySet<C>;
}

/** What a token is limited to; undefined for no limit. */
export interface GrantLimits<C> {
  readonly capabilities: ReadonlySet<C> | undefined;
  readonly groups: readonly string[] | undefined;
}

/** Whether the grant gives the capability on `uid`: a group, or a resource in one. This is the rule of every authorization. */
export function gives<C>(grant: Grant<C>, capability: C, uid: string): boolean {
  return grant.capabilities.has(capability) && isWithin(grant.group, uid);
}

/**
 * The grants of an identity, restricted to what its token allows. Both may be many, so it takes time proportional to their sum,
 * not to their product.
 */
export function downscope<C>(all: readonly Grant<C>[], { capabilities, groups }: GrantLimits<C>): readonly Grant<C>[] {
  const inGroups = groups === undefined ? all : restrictedTo(outermost(groups), all);
  if (capabilities === undefined) return inGroups;
  // Grants of one role share a set.
  const restricted = new Map<ReadonlySet<C>, ReadonlySet<C>>();
  return inGroups.map((grant) => {
    let known = restricted.get(grant.capabilities);
    if (known === undefined) {
      known = new Set([...grant.capabilities].filter((capability) => capabilities.has(capability)));
      restricted.set(grant.capabilities, known);
    }
    return { ...grant, capabilities: known };
  });
}

/** @param scopes none is within another */
function restrictedTo<C>(scopes: readonly string[], all: readonly Grant<C>[]): Grant<C>[] {
  const isScope = new Set(scopes);
  const inScope = all.filter(({ group }) => isScope.has(group) || ancestorsOf(group).some((uid) => isScope.has(uid)));
  // What is granted above a scope applies in all of it.
  const above = Map.groupBy(all, ({ group }) => group);
  const inherited = scopes.flatMap((group) => {
    const capabilities = new Set(
      ancestorsOf(group)
        .flatMap((uid) => above.get(uid) ?? [])
        .flatMap((grant) => [...grant.capabilities]),
    );
    return capabilities.size === 0 ? [] : [{ group, capabilities }];
  });
  return [...inScope, ...inherited];
}

/** The uids that are not within another of them, in byte order. */
export function outermost(uids: readonly string[]): readonly string[] {
  const roots: string[] = [];
  // "/" sorts before every hex digit, so in byte order a subtree directly follows its root.
  for (const uid of uids.toSorted()) {
    const last = roots.at(-1);
    if (last === undefined || !isWithin(last, uid)) roots.push(uid);
  }
  return roots;
}
