import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { anyAtRest, anyOf, type Hands, type Operation, refOf } from "./hands.ts";
import { endingIn, hourMs } from "./creations.ts";

/** The operations on the ends of grants, with their weights. */
export const expiryWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [5, ["expire", expire]],
  [3, ["extend", extend]],
  [3, ["expire at what is not a time", expireUnreadably]],
];

async function expire(hands: Hands): Promise<void> {
  const ms = hands.random.weighted([
    [4, 2_000],
    [3, 6_000],
    [1, hourMs],
  ]);
  await setExpiry(hands, endingIn(ms));
}

/** Later than before, or never: sometimes after the end. */
async function extend(hands: Hands): Promise<void> {
  await setExpiry(hands, hands.random.chance(0.7) ? endingIn(hourMs) : null);
}

/**
 * After an end that can be read, a later one in a zone that does not exist. The API server refuses it, or the first one stays in
 * force.
 */
async function expireUnreadably(hands: Hands): Promise<void> {
  const { one } = await anyAtRest(hands, ["RoleBinding"]);
  await setExpiry(hands, endingIn(hands.random.int(3_000, 7_000)), one);
  // What no operator saw is not in force.
  const { kube } = hands.world;
  await kube.waitFor(refOf(one), isObserved, { timeoutMs: 10_000 });
  await setExpiry(hands, endingIn(hourMs).replace(/Z$/, "+24:00"), one).catch((error: unknown) => {
    if (!(error instanceof KubeError && error.code === 422)) throw error;
  });
}

function isObserved(object: KubeObject | undefined): boolean {
  return object?.["status"]?.observedGeneration === object?.metadata.generation;
}

async function setExpiry(hands: Hands, expiresAt: string | null, one = anyOf(hands, "RoleBinding")): Promise<void> {
  await hands.world.kube.patch(refOf(one), { spec: { expiresAt } });
  hands.journal.noteExpiry(one, expiresAt);
}
