import { musterObject } from "#test/support/harness/muster-objects.ts";
import { someAccounts } from "./creations.ts";
import { anyOf, declare, type Hands, type Operation, refOf, seen } from "./hands.ts";
import type { Declared } from "./journal.ts";
import { teams } from "./world.ts";

/** The operations on account associations, in Kubernetes and by hand on the platform, with their weights. */
export const associationWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [4, ["edit accounts", editAccounts]],
  [4, ["adopt association", adoptAssociation]],
  [2, ["link accounts by hand", linkByHand]],
  [4, ["replace an association by hand", replaceAssociation]],
];

async function editAccounts(hands: Hands): Promise<void> {
  await changeAccounts(hands, anyOf(hands, "AccountAssociation"));
}

async function changeAccounts({ world, random }: Hands, one: Declared): Promise<void> {
  const accounts = { amazon: null, google: null, azure: null, ...someAccounts(random) };
  await world.kube.patch(refOf(one), { spec: accounts });
}

async function adoptAssociation(hands: Hands): Promise<void> {
  const { world, journal } = hands;
  const group = anyOf(hands, "Group");
  const groupUid: string | undefined = (await seen(hands, group))["status"]?.uid;
  if (groupUid === undefined) return;
  const name = journal.newName("adopted");
  journal.mayStay.add(name);
  const amazon = { account: "123456789012" };
  const resource = await world.platform.create("accountAssociations", groupUid, { name, amazon });
  journal.noteHandMade({ collection: "accountAssociations", resource, mayBeTaken: true });
  const spec = { groupRef: { name: group.name }, amazon, policy: { adoption: "IfExists" } };
  await declare(hands, musterObject("AccountAssociation", group.namespace, name, spec));
}

/** Accounts of a group that has none, which no object may take over. */
async function linkByHand({ world, journal, random }: Hands): Promise<void> {
  const group = world.fixed.groups[random.pick([...teams, "shared"] as const)];
  const body = { name: journal.newName("hand"), ...someAccounts(random) };
  const resource = await world.platform.create("accountAssociations", group, body);
  journal.noteHandMade({ collection: "accountAssociations", resource, mayBeTaken: false });
}

/**
 * The uid of the resource of an object is then that of another one, which is not the object's. Sometimes the object is edited
 * or deleted before the next list shows that.
 */
async function replaceAssociation(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const one = anyOf(hands, "AccountAssociation");
  const { spec, status } = await seen(hands, one);
  const uid: string | undefined = status?.uid;
  if (uid === undefined || journal.mustStay("accountAssociations", uid)) return;
  journal.noteChangeByHand(one);
  // The platform has no condition on a write: one that was sent before, and is forwarded late, would change the other one.
  await world.proxy.settled();
  await world.platform.delete("accountAssociations", uid);
  const body = { name: journal.newName("hand"), ...someAccounts(random) };
  const resource = await world.platform.create("accountAssociations", uid, body);
  const mayBeTaken = spec.policy?.adoption === "IfExists";
  if (mayBeTaken) journal.mayStay.add(body.name);
  journal.noteHandMade({ collection: "accountAssociations", resource, mayBeTaken });
  if (random.chance(0.5)) await changeAccounts(hands, one);
  if (random.chance(0.3)) {
    journal.forget(one);
    await world.kube.delete(refOf(one));
  }
}
