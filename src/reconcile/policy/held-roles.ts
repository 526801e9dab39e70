import type { Grants } from "#src/reconcile/observe/observed.ts";
import { type Phase, reports } from "./check.ts";
import type { Differences } from "./differences.ts";
import { isDelayed } from "./freshness.ts";
import { identityGivenMore } from "./ownership-messages.ts";
import { type Problem, stalled } from "./outcome.ts";
import { heldRoleUnread, onGrants } from "./on-grants.ts";
import type { Found } from "./decision-input.ts";

/** An update of who may assume an identity. */
interface LettingIn extends Found {
  readonly differences: Pick<Differences, "mask" | "drift">;
  /** The field that is updated. */
  readonly field: string;
}

/**
 * What comes before an update of who may assume an identity. Whoever it lets in gets all
 * roles of the identity, also those that somebody bound by hand since it was created or adopted. So the Tenant must permit to
 * bind each of them, or a RoleBinding object must declare it that its own Tenant permits: who declares a role binding of an
 * identity trusts those who manage that. An update that lets in nobody else is always made.
 */
export const lettingIn: Phase<LettingIn> = onGrants([
  reports("heldRolesDenied", "The identity holds a role that the Tenant may not bind.", findHeldRolesDenied),
  heldRoleUnread,
]);

export function asLettingIn<Input extends Found & { readonly differences: Differences }>(
  observed: Input,
): (Input & LettingIn) | undefined {
  const { kind, resource, references, external, differences } = observed;
  const field = differences.mask.find((one) => kind.collection.authenticationFields.includes(one));
  // An update that is delayed is judged when it is to be made.
  if (kind.principal === null || field === undefined || isDelayed(observed, "update")) return undefined;
  if (kind.principal.letsInNobodyElse(resource, external, references.desired)) return undefined;
  return { ...observed, field };
}

function findHeldRolesDenied(observed: LettingIn & { readonly read: Grants }): Problem | undefined {
  const { kind, resource, tenant, external, differences, field, read } = observed;
  const groups = tenant.is === "known" ? tenant.groups : [];
  const undeclared = read.denied.filter((uid) => !read.declared.includes(uid));
  if (undeclared.length === 0) return undefined;
  // The uids of role bindings name their groups as those of identities do.
  const { uids } = kind.collection;
  const shown = undeclared.filter((uid) => groups.some((group) => uids.isBelow(uid, group)));
  const message = identityGivenMore(kind.specPath(field, resource), external.uid, shown, undeclared.length);
  return { ...stalled("TenantDenied", message), drift: differences.drift };
}
