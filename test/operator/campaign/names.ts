import { type AnyMusterKind, musterObject } from "#test/support/harness/muster-objects.ts";
import { collectionOf } from "#test/support/harness/comparison.ts";
import type { PlatformResource } from "#test/support/harness/platform-admin.ts";
import { someCapabilities } from "./creations.ts";
import { declare, type Hands, issuer, type Operation, refOf } from "./hands.ts";
import { settleMs } from "./world.ts";

/** The operations with names that a resource made by hand has, with their weights. */
export const nameWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [5, ["declare a name made by hand", declareTakenName]],
];

/** What the API and an object say of a resource with this name. */
const bodies = {
  Group: () => ({}),
  Identity: (name: string) => ({ claimMatch: { issuer, subject: name } }),
  Role: (_: string, { random }: Hands) => ({ capabilities: someCapabilities(random) }),
} satisfies Partial<Record<AnyMusterKind, (name: string, hands: Hands) => object>>;

/**
 * Somebody creates a resource on the platform, and somebody else an object with its name, which does not adopt. The object is
 * in conflict: no list from before shows that.
 */
async function declareTakenName(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const kind = random.pick(["Group", "Identity", "Role"] as const);
  const namespace = random.pick(world.namespaces);
  const declared = await Promise.all(journal.of("Group", namespace).map(async (one) => world.kube.find(refOf(one))));
  const { home, shared } = { home: world.fixed.groups[world.homeOf(namespace)], shared: world.fixed.groups.shared };
  const places = [home, shared].map((uid) => ({ uid, mayBeRemoved: false }));
  // A group that a process has just created is not searched for names by that process.
  const isOld = ({ createTime }: PlatformResource) => Date.parse(createTime ?? "") < Date.now() - 2 * settleMs;
  const old = new Set((await world.platform.list("groups")).filter(isOld).map(({ uid }) => uid));
  for (const object of declared) {
    const uid: string | undefined = object?.["status"]?.uid;
    if (uid !== undefined && old.has(uid)) places.push({ uid, mayBeRemoved: object?.["spec"].undeclared === "Remove" });
  }
  const { uid: group, mayBeRemoved } = random.pick(places);
  const name = journal.newName("taken");
  const body = bodies[kind](name, hands);
  const collection = collectionOf[kind];
  const resource = await world.platform.create(collection, group, { name, ...body });
  journal.noteHandMade({ collection, resource, mayBeTaken: false, mayBeRemoved });
  await declare(
    hands,
    musterObject(kind, namespace, name, { [kind === "Group" ? "parentUid" : "groupUid"]: group, ...body }),
  );
}
