import type { PlatformSession } from "#src/platform-client/session.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import { waitingObjects } from "#src/reconcile/observe/waiting-objects.ts";
import { stateWithoutDelay } from "#src/reconcile/policy/state-after.ts";
import { chooseTrial } from "#src/reconcile/policy/trial.ts";
import type { Enqueue } from "./enqueue.ts";

/** Wakes one of the session's objects that wait for the end of an outage of writes, so that its write is the trial. */
export function wakeForTrial(sources: Sources, session: PlatformSession, enqueue: Enqueue): void {
  const { kinds, states, clock } = sources;
  const waiting = kinds.flatMap(({ name: kind }) =>
    Array.from(waitingObjects(sources, session, kind), ([key, state]) => ({ kind, key, state })),
  );
  const chosen = chooseTrial(waiting);
  if (chosen === undefined) return;
  const { kind, key, state } = chosen;
  const now = clock.monotonic();
  states.get(kind).update(key, state.resourceUid, (present) => stateWithoutDelay(present, now));
  enqueue(kind, key, {});
}
