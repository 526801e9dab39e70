import { readyCondition } from "#src/api/condition.ts";
import { governanceIn, type GovernedObject } from "#src/reconcile/tenancy/tenancy.ts";
import type { CachedResource } from "./cached-resource.ts";
import type { Sources } from "./sources.ts";

/** The reason of an object without a status. It is not empty, because Prometheus treats an empty label as a missing one. */
export const noStatus = "NoStatus";

/** How many objects of a kind are how ready. */
export interface ReadinessCounts {
  /** By status and reason of the condition Ready. */
  readonly counts: readonly { readonly status: string; readonly reason: string; readonly objects: number }[];
  /** Since when the object that has been unready for the longest has been so, by reason: milliseconds since the epoch. */
  readonly unreadySince: ReadonlyMap<string, number>;
}

/**
 * What the store of a kind counts of an object: in its namespace, all that `observeReadiness` has to know of it. Times have
 * whole seconds, so that even of objects that are not Ready many share a value.
 */
export function tallyReadiness({ resource }: CachedResource): readonly [namespace: string, value: string] {
  const { namespace = "", creationTimestamp = "", deletionTimestamp } = resource.metadata;
  const ready = readyCondition(resource);
  const status = ready?.status ?? "Unknown";
  const since = status === "True" ? "" : (ready?.lastTransitionTime ?? creationTimestamp);
  // What governs an object that is being deleted depends on the Tenant in its status, too.
  const ends = deletionTimestamp === undefined ? "" : ` ends ${resource.status?.tenant ?? ""}`;
  return [namespace, `${status} ${ready?.reason ?? noStatus} ${since}${ends}`];
}

/** Whether the objects that are counted as `value` are Ready. */
export function isReadyValue(value: string): boolean {
  return value.startsWith("True ");
}

/** Counts the objects of a kind, except of those that another operator serves. */
export function observeReadiness({ stores, tenancy }: Sources, kind: string): ReadinessCounts {
  const counts = new Map<string, { readonly status: string; readonly reason: string; objects: number }>();
  const unreadySince = new Map<string, number>();
  for (const [namespace, values] of stores.get(kind).tally) {
    const { by } = governanceIn(tenancy, namespace);
    for (const [value, objects] of values) {
      const [status = "", reason = "", since = "", ends, tenant] = value.split(" ");
      const governedBy = ends === undefined ? by : tenancy.governanceOf(endingObject(namespace, tenant), true).by;
      if (governedBy === "unserved") continue;
      const count = counts.get(`${status} ${reason}`);
      if (count === undefined) counts.set(`${status} ${reason}`, { status, reason, objects });
      else count.objects += objects;
      const time = Date.parse(since);
      if (time < (unreadySince.get(reason) ?? Number.POSITIVE_INFINITY)) unreadySince.set(reason, time);
    }
  }
  return { counts: [...counts.values()], unreadySince };
}

function endingObject(namespace: string, tenant = ""): GovernedObject {
  return { metadata: { namespace }, ...(tenant === "" ? {} : { status: { tenant } }) };
}
