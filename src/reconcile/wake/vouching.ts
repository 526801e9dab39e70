import { recordedUid } from "#src/reconcile/observe/claims.ts";
import type { Sources } from "#src/reconcile/observe/sources.ts";
import type { ObjectChange } from "./change.ts";
import type { Enqueue } from "./enqueue.ts";

/** Many objects that take over identities at once cost one look at the provider of these. */
const gatherMs = 250;

/**
 * After an object took over an identity, which is nobody's login any longer: the objects that wait to be deleted while people have
 * logged in by means of their resources.
 */
export function wakeVouching(
  { kinds, stores, states }: Pick<Sources, "kinds" | "stores" | "states">,
  { kind: { principal }, before, after }: ObjectChange,
  enqueue: Enqueue,
): void {
  const uid = recordedUid(after);
  if (principal === null || uid === undefined || uid === recordedUid(before)) return;
  for (const { name, vouching } of kinds) {
    if (vouching === null) continue;
    for (const [key] of states.get(name).waiting())
      if (stores.get(name).get(key)?.metadata.deletionTimestamp !== undefined)
        enqueue(name, key, { delayMs: gatherMs });
  }
}
