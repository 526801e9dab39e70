import { setTimeout as sleep } from "node:timers/promises";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { collectionOf, withoutMarker } from "#test/support/harness/comparison.ts";
import { disturb, recoveryMs } from "./disturbances.ts";
import {
  anyAtRest,
  anyToDelete,
  type AtRest,
  findAtRest,
  type Hands,
  hasClaims,
  type Operation,
  refOf,
} from "./hands.ts";

/** The operations of another Muster installation that shares the platform, with their weights. */
export const otherOwnerWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [4, ["take with another owner's marker", takeWithMarker]],
  [1, ["lose the owner id", loseOwnerId]],
];

/** The marker of an object of another owner that was adopted. */
export function markerOfOther(random: Hands["random"]): string {
  return `[muster:0123abcd+${"0".repeat(15)}${random.int(0, 9)}]`;
}

/** A resource that an operator has changed within this time is changed again without being read: a burst of edits needs one read. */
const burstMs = 16_000;

/**
 * Another installation adopts resources of objects, and the objects are edited or deleted before a list shows that. The
 * resources are not the objects' any more: they must stay as they are.
 */
async function takeWithMarker(hands: Hands): Promise<void> {
  const kinds = ["Group", "Identity", "Role", "IdentityProvider"] as const;
  await takeOne(hands, await anyAtRest(hands, kinds));
  for (let more = await findAtRest(hands, kinds); more !== undefined; more = await findAtRest(hands, kinds)) {
    await takeOne(hands, more);
    if (hands.random.chance(0.4)) return;
  }
}

async function takeOne({ world, journal, random }: Hands, { one, resource }: AtRest): Promise<void> {
  const collection = collectionOf[one.kind];
  const description = `${withoutMarker(resource.description)} ${markerOfOther(random)}`;
  const taken = await world.platform.update(collection, resource.uid, { description });
  journal.noteHandMade({ collection, resource: taken, mayBeTaken: false });
  const isInBurst = Date.now() - Date.parse(resource["updateTime"]) < burstMs;
  if (isInBurst || random.chance(0.5)) {
    journal.forget(one);
    await world.kube.delete(refOf(one));
  } else await world.kube.patch(refOf(one), { spec: { description: journal.newName("text") } });
}

/** A request of an operator that read its own identity before that was changed arrives at most this long after it. */
const inFlightMs = 1_000;

/**
 * The operator's identity records another owner for a while. An operator that does not know it yet must not delete anything, nor
 * change who may assume an identity: it reads its own identity before.
 */
async function loseOwnerId(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const { platform, kube, system } = world;
  const { one, resource } = await anyAtRest(hands, ["Identity"], hasClaims);
  const { one: granted } = await anyAtRest(hands, ["RoleBinding"]);
  const operator = await platform.get("identities", system.identity);
  const description = withRecordedOwner(operator.description, "another-cluster");
  await platform.update("identities", system.identity, { description });
  const lostAt = Date.now();
  try {
    await sleep(inFlightMs);
    await kube.patch(refOf(one), { spec: { claimMatch: { subject: journal.newName("lost") } } });
    const others = [anyToDelete(hands, "Role", "IdentityProvider", "AccountAssociation", "GroupInvite")];
    for (const leaving of [granted, ...others]) {
      journal.forget(leaving);
      await kube.delete(refOf(leaving));
    }
    // Longer than deletions are gathered.
    await sleep(random.int(2_000, 4_000));
    const { claimMatch } = await platform.get("identities", resource.uid);
    if (claimMatch.subject !== resource["claimMatch"]?.subject)
      journal.violations.push(
        `W: identities ${resource.uid} got another subject from an operator without its owner id`,
      );
    for (const { method, collection, at } of journal.writes)
      if (method === "DELETE" && at > lostAt + inFlightMs)
        journal.violations.push(
          `W: an operator without its owner id deleted from ${collection}, ${at - lostAt} ms after it was lost`,
        );
  } finally {
    await platform.update("identities", system.identity, { description: operator.description });
  }
  // An operator that saw it tries again after up to a minute and a half; one that starts reads it again.
  await disturb(world, journal, "kill leader", { ms: 0, background: [] });
  await sleep(recoveryMs("kill leader", 0));
}
