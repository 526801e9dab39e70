import { isWithin } from "#src/platform/contract/uid.ts";
import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownRole } from "./access-state.ts";
import { type RecordedChange, usesOf } from "./recorded-writes.ts";

/** Who has changed what. */
export interface AuthoredChange extends RecordedChange {
  /** The actor's name is the uid of an identity, or that of another author. */
  readonly actor: { readonly name: string };
}

/** The capabilities that were used of each role binding, by its uid. They may be more than its role has. */
export type UsedWrites = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Which capabilities the changes needed. A change counts for every role binding that permitted it, because nobody knows which
 * one was needed. It holds a set of capabilities for each role binding, however many changes there are.
 * @param roles those that had their capabilities all the time: to grant another one may have needed more than it has now
 */
export async function usedWrites(
  { bindingsOf }: AccessModel,
  roles: ReadonlyMap<string, KnownRole>,
  changes: AsyncIterable<AuthoredChange> | Iterable<AuthoredChange>,
): Promise<UsedWrites> {
  const used = new Map<string, Set<string>>();
  for await (const change of changes) {
    const bindings = bindingsOf.get(change.actor.name);
    const use = bindings === undefined ? undefined : usesOf(change, roles);
    if (bindings === undefined || use === undefined) continue;
    for (const binding of bindings) {
      if (use.at !== undefined && !isWithin(groupOf(binding), use.at)) continue;
      const known = used.get(binding.uid) ?? new Set();
      for (const capability of use.capabilities) known.add(capability);
      used.set(binding.uid, known);
    }
  }
  return used;
}
