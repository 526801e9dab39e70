import type { Resource } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { PlatformSession } from "#src/platform-client/session.ts";
import type { TenantContext } from "#src/reconcile/tenancy/tenancy.ts";
import type { MonotonicTime } from "#src/time/clock.ts";
import { minutes } from "#src/time/durations.ts";
import { isManaged } from "./is-managed.ts";
import type { References } from "./observed.ts";
import { permitsUid } from "./reference-denials.ts";
import type { Sources } from "./sources.ts";

// The roles that objects declare. A Tenant may bind one that it does not list while its capabilities permit that, so that
// they are read where they count: on the platform, where others may have changed them.

/** A role is read again before it is granted if the last read is older: somebody may have given it more since. */
const maxAgeMs = minutes(1);

/** What is known of a role on the platform. */
interface SeenRole {
  readonly capabilities: readonly string[];
  readonly seenAt: MonotonicTime;
}

/** Whether an object of any Tenant manages the role with this uid, as its status records it. */
export function isDeclaredRole({ kinds, stores }: Pick<Sources, "kinds" | "stores">, uid: string): boolean {
  return isManaged({ kinds: kinds.filter(({ bindable }) => bindable !== null), stores }, uid);
}

/**
 * The capabilities that a role has on the platform; undefined if they are not known. The session of a Tenant does not list
 * the group of a role that another Tenant granted to it, so that what any session saw last counts.
 */
export function capabilitiesOf(
  sources: Pick<Sources, "kinds" | "tenancy">,
  uid: string,
): readonly string[] | undefined {
  return lastSeen(sources, uid)?.capabilities;
}

/**
 * The role of an object that `resource` is about to grant, if it was not read a moment ago; null if nothing is to be read.
 * A role that is gone grants nothing.
 */
export function roleToRead(
  sources: Pick<Sources, "kinds" | "tenancy" | "clock">,
  { session, boundary }: Pick<TenantContext, "session" | "boundary">,
  kind: Kind,
  resource: Resource,
  references: References,
): string | null {
  const uid = references.are === "resolved" ? references.uids.role : undefined;
  if (uid === undefined) return null;
  const target = kind.references(resource).find(({ purpose }) => purpose === "role")?.target;
  // A uid that the Tenant does not list may be used only because an object has it.
  const isOfObject =
    target?.by === "resource" || (target?.by === "uid" && !permitsUid("role", uid, { boundary, roles: session.roles }));
  return isOfObject && isToRead(sources, session, uid) ? uid : null;
}

/** Whether the role was not read a moment ago, and is not known to be gone. */
export function isToRead(
  sources: Pick<Sources, "kinds" | "tenancy" | "clock">,
  session: PlatformSession,
  uid: string,
): boolean {
  if (sources.kinds.some(({ collection }) => session.viewOf(collection).stateOf(uid).is === "gone")) return false;
  const seen = lastSeen(sources, uid);
  return seen === undefined || seen.seenAt <= sources.clock.monotonic() - maxAgeMs;
}

function lastSeen({ kinds, tenancy }: Pick<Sources, "kinds" | "tenancy">, uid: string): SeenRole | undefined {
  let last: SeenRole | undefined;
  for (const { bindable, collection } of kinds) {
    if (bindable === null) continue;
    for (const session of tenancy.sessions) {
      const state = session.viewOf(collection).stateOf(uid);
      if (state.is === "present" && (last === undefined || state.seenAt > last.seenAt))
        last = { capabilities: bindable.capabilities(state.resource), seenAt: state.seenAt };
    }
  }
  return last;
}
