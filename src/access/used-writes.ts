import { isWithin } from "#src/platform/contract/uid.ts";
import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownBinding } from "./access-state.ts";
import { type RecordedChange, usesOf } from "./recorded-writes.ts";

const none: ReadonlySet<string> = new Set();

/**
 * Which capabilities of each role binding have been used. It holds a set of capabilities for each role binding, however many
 * changes are added.
 */
export class UsedWrites {
  readonly #model: AccessModel;
  readonly #bindingsOf: ReadonlyMap<string, readonly KnownBinding[]>;
  readonly #used = new Map<string, Set<string>>();

  constructor(model: AccessModel) {
    this.#model = model;
    this.#bindingsOf = Map.groupBy(model.state.bindings, ({ identity }) => identity.uid);
  }

  /** Counts a change for every role binding that permitted it: nobody knows which of them was needed. */
  add(identity: string, change: RecordedChange): void {
    const bindings = this.#bindingsOf.get(identity);
    const use = bindings === undefined ? undefined : usesOf(change, this.#model.roles);
    if (bindings === undefined || use === undefined) return;
    for (const binding of bindings) {
      if (!isWithin(groupOf(binding), use.at)) continue;
      const known = this.#used.get(binding.uid) ?? new Set();
      for (const capability of use.capabilities) known.add(capability);
      this.#used.set(binding.uid, known);
    }
  }

  /** By the names of the contract. It may have capabilities that the role of the binding does not have. */
  of({ uid }: KnownBinding): ReadonlySet<string> {
    return this.#used.get(uid) ?? none;
  }
}
