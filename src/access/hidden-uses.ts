import { ancestorsOf, parentOf } from "#src/platform/contract/uid.ts";
import { type AccessModel, groupOf } from "./access-model.ts";
import type { KnownRole } from "./access-state.ts";
import type { EarlierGrants } from "./earlier-grants.ts";
import { recordedWrites } from "./recorded-writes.ts";

/** What may have been used of the role bindings in a group, by changes whose records cannot be read. */
export interface HiddenUse {
  readonly capabilities: ReadonlySet<string>;
  /** The groups whose records would show it. */
  readonly records: ReadonlySet<string>;
}

export interface HiddenUsesQuestion {
  /** The roles that had their capabilities for the whole period. */
  readonly roles: ReadonlyMap<string, KnownRole>;
  readonly grants: ReadonlyMap<string, EarlierGrants>;
  readonly canReadRecords: (group: string) => boolean;
}

/**
 * By group, what changes of who can assume an identity may have used there. The record of such a change is in the group of the
 * identity, but the change needs what the identity may do elsewhere: in the groups of its role bindings, and through role bindings
 * there or above. Every other change needs only what applies where its record is.
 */
export function hiddenUses(model: AccessModel, question: HiddenUsesQuestion): ReadonlyMap<string, HiddenUse> {
  const { canReadRecords, grants, roles } = question;
  const hidden = new Map<string, { readonly capabilities: Set<string>; readonly records: Set<string> }>();
  const add = (group: string, identity: string, role: string) => {
    const records = parentOf(identity) ?? identity;
    const capabilities = [...(roles.get(role)?.capabilities ?? recordedWrites)].filter((one) =>
      recordedWrites.has(one),
    );
    if (capabilities.length === 0 || canReadRecords(records)) return;
    for (const above of [...ancestorsOf(group), group]) {
      const use = hidden.get(above) ?? { capabilities: new Set(), records: new Set() };
      for (const capability of capabilities) use.capabilities.add(capability);
      hidden.set(above, { ...use, records: use.records.add(records) });
    }
  };
  for (const binding of model.state.bindings) add(groupOf(binding), binding.identity.uid, binding.role.uid);
  const current = new Map(model.state.bindings.map((binding) => [binding.uid, binding]));
  for (const [uid, { identities, roles: bound }] of grants) {
    const { identity, role } = current.get(uid) ?? {};
    // A record names only what it changed: the rest is what the role binding has, or nothing that is known.
    const whose = identities.size > 0 ? [...identities] : identity === undefined ? [] : [identity.uid];
    const which = bound.size > 0 ? [...bound] : [role?.uid ?? ""];
    for (const one of whose) for (const other of which) add(parentOf(uid) ?? "", one, other);
  }
  return hidden;
}
