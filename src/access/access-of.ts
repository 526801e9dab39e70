import { type AccessModel, listedGroups } from "./access-model.ts";
import type { KnownBinding, KnownRole } from "./access-state.ts";
import { expiredAt } from "./expiry.ts";
import { type Unread, unreadRoles } from "./unread.ts";

export interface IdentityAccess {
  /** Each role binding of the identity, in the order of their uids, with its role if that can be read. */
  readonly bindings: readonly { readonly binding: KnownBinding; readonly role: KnownRole | undefined }[];
  /** The groups in which, and below which, role bindings were listed. Elsewhere there may be others. Absent: everywhere. */
  readonly listedBelow?: readonly string[];
  readonly unread: readonly Unread[];
  /** RFC 3339: when its static keys have expired. Then nobody can use the identity. */
  readonly expired?: string;
}

/**
 * What an identity may do, and where.
 * @param identity its uid
 * @param now milliseconds since the epoch
 */
export function accessOf(model: AccessModel, identity: string, now: number): IdentityAccess {
  const own = model.bindingsOf.get(identity) ?? [];
  const bindings = own.map((binding) => ({ binding, role: model.roles.get(binding.role.uid) }));
  const unread = unreadRoles(bindings.filter(({ role }) => role === undefined).map(({ binding }) => binding));
  const expired = expiredAt(model.identities.get(identity), now);
  return {
    bindings,
    ...(model.state.seesEverything ? {} : { listedBelow: listedGroups(model) }),
    unread,
    ...(expired === undefined ? {} : { expired }),
  };
}
