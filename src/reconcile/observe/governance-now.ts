import type { Resource } from "#src/api/custom-resource.ts";
import { readyCondition } from "#src/api/condition.ts";
import { expiryOf } from "#src/kinds/expiry.ts";
import type { Governance, Tenancy } from "#src/reconcile/tenancy/tenancy.ts";
import { isRecorded } from "./claims.ts";
import type { ReconcileState } from "./reconcile-state.ts";

interface GovernedObject {
  readonly resource: Resource;
  readonly invalid?: string | null | undefined;
  readonly state: ReconcileState;
}

/** Who governs an object as it is reconciled: what it ends, the Tenant ends under which it was made. */
export function governanceNow(
  tenancy: Pick<Tenancy, "governanceOf">,
  { resource, invalid, state }: GovernedObject,
  wallClock: number,
): Governance {
  const ends = resource.metadata.deletionTimestamp !== undefined || endsGrant({ resource, invalid }, wallClock);
  return tenancy.governanceOf(asPosted(resource, state), ends);
}

/** Whether the grant that the object records has expired, or was about to be ended for that reason. */
function endsGrant({ resource, invalid }: Pick<GovernedObject, "resource" | "invalid">, wallClock: number): boolean {
  const { uid } = resource.status ?? {};
  if (uid === undefined || !isRecorded(resource, uid)) return false;
  const expiry = expiryOf({ resource, invalid });
  return (expiry !== undefined && expiry.at <= wallClock) || readyCondition(resource)?.reason === "Expired";
}

/**
 * An object that is deleted before the uid of what this process created for it was recorded: the Tenant of the POST completes
 * the deletion, as if the status named it. The Tenant that selects the namespace by now may see nothing of it.
 */
function asPosted(resource: Resource, { posted }: ReconcileState): Resource {
  const { status, metadata } = resource;
  if (metadata.deletionTimestamp === undefined || status?.uid !== undefined || posted?.tenant === undefined)
    return resource;
  return { ...resource, status: { observedGeneration: -1, ...status, tenant: posted.tenant } };
}
