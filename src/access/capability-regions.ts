import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { expiredAt } from "./expiry.ts";

/** A capability by its name; or, if a role cannot be read, everything that it grants. */
export type Given =
  | { readonly capability: string; readonly role?: never }
  | { readonly role: string; readonly capability?: never };

/** The groups in which, and below which, role bindings grant something, with these bindings. */
export interface CapabilityRegions {
  readonly given: Given;
  readonly groups: ReadonlyMap<string, readonly KnownBinding[]>;
}

/**
 * Where an identity has each capability, by a text that is the same for what is the same in another model.
 * @param now milliseconds since the epoch: whose static keys have expired has nothing
 */
export function capabilityRegions(
  { bindingsOf, identities, roles }: AccessModel,
  identity: string,
  now: number,
): ReadonlyMap<string, CapabilityRegions> {
  const found = new Map<string, { readonly given: Given; readonly groups: Map<string, KnownBinding[]> }>();
  if (expiredAt(identities.get(identity), now) !== undefined) return found;
  const add = (key: string, given: Given, binding: KnownBinding) => {
    const { groups } = found.get(key) ?? { groups: new Map<string, KnownBinding[]>() };
    const group = groupOf(binding);
    found.set(key, { given, groups: groups.set(group, [...(groups.get(group) ?? []), binding]) });
  };
  for (const binding of bindingsOf.get(identity) ?? []) {
    const role = roles.get(binding.role.uid);
    if (role === undefined) add(`role ${binding.role.uid}`, { role: binding.role.uid }, binding);
    else for (const capability of role.capabilities) add(`capability ${capability}`, { capability }, binding);
  }
  return found;
}
