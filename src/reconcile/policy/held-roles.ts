import type { Fields } from "#src/kinds/kind.ts";
import type { ExternalResource } from "#src/reconcile/observe/observed.ts";
import { conclude } from "./conclude.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { Differences } from "./differences.ts";
import { isDelayed } from "./freshness.ts";
import { identityGivenMore } from "./ownership-messages.ts";
import { stalled } from "./outcome.ts";
import { recentGrants } from "./recent-grants.ts";
import { attempt } from "./retry.ts";
import type { Step } from "./step.ts";

/**
 * The step before an update of who may assume an identity; undefined if the update may be made. Whoever it lets in gets all
 * roles of the identity, also those that somebody bound by hand since it was created or adopted. So the Tenant must permit to
 * bind each of them, or a RoleBinding object must declare it that its own Tenant permits: who declares a role binding of an
 * identity trusts those who manage that. An update that lets in nobody else is always made.
 */
export function decideHeldRoles(
  observed: DecisionInput,
  desired: Fields,
  external: ExternalResource,
  { mask, drift }: Pick<Differences, "mask" | "drift">,
): Step | undefined {
  const { kind, resource, tenant } = observed;
  const [field] = mask.filter((one) => kind.collection.authenticationFields.includes(one));
  // An update that is delayed is judged when it is to be made.
  if (kind.principal === null || field === undefined || isDelayed(observed, "update")) return undefined;
  if (kind.principal.letsInNobodyElse(resource, external, desired)) return undefined;
  const read = recentGrants(observed, external);
  if ("step" in read) return read.step;
  const { denied, declared, roleToRead } = read.grants;
  const groups = tenant.is === "known" ? tenant.groups : [];
  const undeclared = denied.filter((uid) => !declared.includes(uid));
  if (undeclared.length > 0) {
    // The uids of role bindings name their groups as those of identities do.
    const { uids } = kind.collection;
    const shown = undeclared.filter((uid) => groups.some((group) => uids.isBelow(uid, group)));
    const message = identityGivenMore(kind.specPath(field, resource), external.uid, shown, undeclared.length);
    return conclude(observed, { ...stalled("TenantDenied", message), drift });
  }
  return roleToRead === null ? undefined : attempt(observed, { do: "readRole", role: roleToRead });
}
