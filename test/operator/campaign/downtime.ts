import { musterObject } from "#test/support/harness/muster-objects.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import { creations } from "./creations.ts";
import { restoreEqualGrants } from "./equal-grants.ts";
import { declare, type Hands, issuer, keptNamespace, type Operation } from "./hands.ts";

/** The operations while no operator runs, as during an upgrade, with their weights. */
export const downtimeWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [2, ["work while no operator runs", workUnwatched]],
];

async function workUnwatched(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const over = journal.noteDisturbance();
  const release = await world.operators.hold();
  journal.counts.kills += 2;
  try {
    const drawn = Array.from({ length: 4 }, () => random.weighted(creations)[1]);
    for (const work of random.shuffled([observeTree, restoreEqualGrants, ...drawn])) await work(hands);
  } finally {
    release();
    await world.operators.led(60_000);
    over();
  }
}

/** A group with an identity that has a role, made by hand, and objects that only observe them: what an import writes. */
export async function observeTree(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const { platform, fixed } = world;
  const namespace = keptNamespace(hands);
  const [group, identity, binding] = [journal.newName("seen-g"), journal.newName("seen-i"), journal.newName("seen-b")];
  const parentUid = fixed.groups.shared;
  const claimMatch = { issuer, subject: identity };
  const create = async (kind: "Group" | "Identity" | "RoleBinding", parent: string, body: object) => {
    const collection = collectionOf[kind];
    const resource = await platform.create(collection, parent, body);
    // An object may declare the same grant, and then owns it.
    journal.noteHandMade({ collection, resource, mayBeTaken: kind === "RoleBinding" });
    return resource.uid;
  };
  const groupUid = await create("Group", parentUid, { name: group });
  const identityUid = await create("Identity", groupUid, { name: identity, claimMatch });
  await create("RoleBinding", groupUid, { identityUid, roleUid: fixed.roles.get("viewer") });
  const policy = { management: "Observe" };
  const groupRef = { name: group };
  const objects = [
    musterObject("Group", namespace, group, { parentUid, policy }),
    musterObject("Identity", namespace, identity, { groupRef, claimMatch, policy }),
    musterObject("RoleBinding", namespace, binding, {
      groupRef,
      identityRef: { name: identity },
      roleRef: { name: "viewer" },
      policy,
    }),
  ];
  for (const object of random.shuffled(objects)) await declare(hands, object, { isKept: true });
}
