import { collectionOf } from "#test/support/harness/comparison.ts";
import { anyOf, type Hands, issuer, type Operation, seen } from "./hands.ts";
import type { Declared } from "./journal.ts";
import { markerOfOther } from "./other-owner.ts";
import { teams } from "./world.ts";

/** The operations of somebody with the platform's own tools, with their weights. */
export const workByHand: readonly (readonly [number, readonly [string, Operation]])[] = [
  [6, ["change by hand", changeByHand]],
  [5, ["delete by hand", deleteByHand]],
  [3, ["withdraw an invite by hand", withdrawInvite]],
  [5, ["grant by hand", grantByHand]],
  [5, ["grant by hand in a declared group", grantInDeclaredGroup]],
];

async function changeByHand(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const one = anyOf(hands, "Group", "Identity", "Role", "IdentityProvider", "AccountAssociation");
  const uid: string | undefined = (await seen(hands, one))["status"]?.uid;
  const collection = collectionOf[one.kind];
  if (uid === undefined || journal.mustStay(collection, uid)) return;
  const { description, capabilities } = await world.platform.get(collection, uid);
  const changes: Readonly<Record<string, unknown>>[] = [
    { name: journal.newName("by-hand") },
    { description: `by hand ${description}` },
  ];
  if (one.kind === "Role")
    changes.push({ capabilities: ["CAP_REPO_DELETE"] }, { capabilities: [...capabilities, "CAP_REPO_DELETE"] });
  if (one.kind === "IdentityProvider") changes.push({ defaultRole: world.fixed.roles.get("owner") });
  if (one.kind === "AccountAssociation") changes.push({ amazon: { account: "210987654321" } });
  const change = random.pick(changes);
  const { name } = change;
  if (typeof name === "string") journal.noteName(one, name);
  journal.noteChangeByHand(one);
  await world.platform.update(collection, uid, change);
}

async function deleteByHand(hands: Hands): Promise<void> {
  await deleteResource(
    hands,
    anyOf(hands, "Identity", "RoleBinding", "Role", "IdentityProvider", "AccountAssociation"),
  );
}

/** As when somebody redeems it: it is gone for good, and its object says so. */
async function withdrawInvite(hands: Hands): Promise<void> {
  await deleteResource(hands, anyOf(hands, "GroupInvite"));
}

async function deleteResource(hands: Hands, one: Declared): Promise<void> {
  const { world, journal } = hands;
  const uid: string | undefined = (await seen(hands, one))["status"]?.uid;
  const collection = collectionOf[one.kind];
  if (uid === undefined || journal.mustStay(collection, uid)) return;
  journal.noteChangeByHand(one);
  await world.platform.delete(collection, uid);
}

/** A grant or an identity that no object declares: it must stay as it is. */
async function grantByHand(hands: Hands): Promise<void> {
  const { world, random } = hands;
  await grantIn(hands, world.fixed.groups[random.pick([...teams, "shared"] as const)], false);
}

/** There, the object of the group may say that what nobody declares is removed. */
async function grantInDeclaredGroup(hands: Hands): Promise<void> {
  const { spec, status } = await seen(hands, anyOf(hands, "Group"));
  if (status?.uid !== undefined) await grantIn(hands, status.uid, spec.undeclared === "Remove");
}

async function grantIn({ world, journal, random }: Hands, group: string, mayBeRemoved: boolean): Promise<void> {
  if (random.chance(0.3)) {
    const name = journal.newName("hand");
    // The marker of another cluster.
    const description = random.chance(0.5) ? "by hand" : `theirs ${markerOfOther(random)}`;
    const body = { name, description, claimMatch: { issuer, subject: name } };
    const resource = await world.platform.create("identities", group, body);
    // What belongs to another installation stays.
    const isOthers = description !== "by hand";
    journal.noteHandMade({
      collection: "identities",
      resource,
      mayBeTaken: false,
      mayBeRemoved: mayBeRemoved && !isOthers,
    });
    return;
  }
  const role = random.pick(["viewer", "owner"]);
  const body = { identityUid: world.fixed.auditor, roleUid: world.fixed.roles.get(role) };
  const resource = await world.platform.create("roleBindings", group, body);
  // An object may declare the same grant with the role viewer.
  journal.noteHandMade({ collection: "roleBindings", resource, mayBeTaken: role === "viewer", mayBeRemoved });
}
