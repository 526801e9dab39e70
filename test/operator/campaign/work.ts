import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject, ref } from "#test/support/harness/muster-objects.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import type { Random } from "#test/platform/fuzz/random.ts";
import type { Declared, Journal } from "./journal.ts";
import { teams, type World } from "./world.ts";

const issuer = "https://issuer.example";

/** What an operation works on. */
interface Hands {
  readonly world: World;
  readonly journal: Journal;
  readonly random: Random;
  /** The statuses that were seen, to restore them. */
  readonly statuses: { readonly of: Declared; readonly uid: string; readonly status: object }[];
}

type Operation = (hands: Hands) => Promise<void>;

/** The random work of people: in Kubernetes, and by hand on the platform. */
export class Work {
  readonly #hands: Hands;

  constructor(world: World, journal: Journal, random: Random) {
    this.#hands = { world, journal, random, statuses: [] };
  }

  /** One random operation. @returns its name. @throws {Error} if it was refused, as when its object is gone. */
  async next(): Promise<string> {
    const [name, operation] = this.#hands.random.weighted(operations);
    await operation(this.#hands);
    return name;
  }
}

const operations: readonly (readonly [number, readonly [string, Operation]])[] = [
  [10, ["create group", createGroup]],
  [16, ["create identity", createIdentity]],
  [18, ["create role binding", createRoleBinding]],
  [8, ["create tree", createTree]],
  [10, ["edit", edit]],
  [5, ["rename", rename]],
  [14, ["delete", remove]],
  [4, ["delete and create again", replace]],
  [4, ["adopt", adopt]],
  [3, ["adopt by uid", adoptByUid]],
  [4, ["orphan", orphan]],
  [5, ["expire", expire]],
  [5, ["move namespace", moveNamespace]],
  [1, ["delete namespace", deleteNamespace]],
  [2, ["narrow Tenant", narrowTenant]],
  [2, ["re-create Tenant", recreateTenant]],
  [2, ["replace credentials", replaceCredentials]],
  [2, ["overlap", overlap]],
  [5, ["change by hand", changeByHand]],
  [4, ["delete by hand", deleteByHand]],
  [5, ["grant by hand", grantByHand]],
  [3, ["lose status", loseStatus]],
  [4, ["restore status", restoreStatus]],
];

/** A group for a new object: one of the namespace's own objects, or a group that exists. */
function parentIn({ world, journal, random }: Hands, namespace: string, ref_: string, uid: string): object {
  const groups = journal.of("Group", namespace);
  if (groups.length > 0 && random.chance(0.6)) return { [ref_]: { name: random.pick(groups).name } };
  const home = world.homeOf(namespace);
  // Sometimes of the other team: denied, unless the namespace moves there.
  const group = random.weighted([
    [5, home],
    [3, "shared"],
    [1, home === "red" ? "blue" : "red"],
  ] as const);
  return { [uid]: world.fixed.groups[group] };
}

async function declare({ world, journal }: Hands, object: KubeObject): Promise<void> {
  const { name, namespace = "" } = object.metadata;
  journal.declare({ kind: object.kind as Declared["kind"], namespace, name });
  await world.kube.apply(object);
}

async function createGroup(hands: Hands): Promise<void> {
  const namespace = hands.random.pick(hands.world.namespaces);
  const name = hands.journal.newName("g");
  await declare(hands, musterObject("Group", namespace, name, parentIn(hands, namespace, "parentRef", "parentUid")));
}

async function createIdentity(hands: Hands): Promise<void> {
  const namespace = hands.random.pick(hands.world.namespaces);
  const name = hands.journal.newName("i");
  const parent = parentIn(hands, namespace, "groupRef", "groupUid");
  const source = hands.random.chance(0.3) ? { serviceAccountRef: { name } } : { claimMatch: { issuer, subject: name } };
  await declare(hands, musterObject("Identity", namespace, name, { ...parent, ...source }));
}

async function createRoleBinding(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const namespace = random.pick(world.namespaces);
  const identities = journal.of("Identity", namespace);
  const identity =
    identities.length > 0 && random.chance(0.9)
      ? { identityRef: { name: random.pick(identities).name } }
      : { identityUid: world.fixed.auditor };
  const role = random.weighted([
    [6, "viewer"],
    [3, "editor"],
    [1, "owner"],
  ]);
  const parent = parentIn(hands, namespace, "groupRef", "groupUid");
  const spec = { ...parent, ...identity, roleRef: { name: role } };
  await declare(hands, musterObject("RoleBinding", namespace, journal.newName("b"), spec));
}

async function createTree(hands: Hands): Promise<void> {
  const { journal, random } = hands;
  const namespace = random.pick(hands.world.namespaces);
  const [group, identity, binding] = [journal.newName("g"), journal.newName("i"), journal.newName("b")];
  const groupRef = { name: group };
  const objects = [
    musterObject("Group", namespace, group, parentIn(hands, namespace, "parentRef", "parentUid")),
    musterObject("Identity", namespace, identity, { groupRef, claimMatch: { issuer, subject: identity } }),
    musterObject("RoleBinding", namespace, binding, {
      groupRef,
      identityRef: { name: identity },
      roleRef: { name: "viewer" },
    }),
  ];
  for (const object of random.chance(0.5) ? objects : objects.toReversed()) await declare(hands, object);
}

function anyOf({ journal, random }: Hands, ...kinds: Declared["kind"][]): Declared {
  return random.pick([...journal.declared.values()].filter(({ kind }) => kinds.includes(kind)));
}

const refOf = ({ kind, namespace, name }: Declared) => ref(kind, namespace, name);

async function edit(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Group", "Identity");
  await hands.world.kube.patch(refOf(one), { spec: { description: hands.journal.newName("text") } });
}

async function rename(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Group", "Identity");
  const name = hands.journal.newName("renamed");
  if (hands.journal.mayStay.has(one.name)) hands.journal.mayStay.add(name);
  await hands.world.kube.patch(refOf(one), { spec: { name } });
}

async function remove(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Group", "Identity", "RoleBinding");
  hands.journal.forget(one);
  await hands.world.kube.delete(refOf(one));
}

/** A deletion, and the same manifest again at once. */
async function replace(hands: Hands): Promise<void> {
  const { world, journal } = hands;
  const one = anyOf(hands, "Identity", "RoleBinding");
  const object = await world.kube.get(refOf(one));
  await world.kube.delete(refOf(one));
  // It is refused while the first one has not been released.
  await world.kube
    .create(musterObject(one.kind, one.namespace, one.name, object["spec"]))
    .catch(() => journal.forget(one));
}

async function adopt(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const name = journal.newName("adopted");
  journal.mayStay.add(name);
  const group = world.fixed.groups[random.pick([...teams, "shared"] as const)];
  const claimMatch = { issuer, subject: name };
  const resource = await world.platform.create("identities", group, { name, claimMatch });
  journal.handMade.set(resource.uid, { collection: "identities", resource, mayBeTaken: true });
  const namespaces = random.chance(0.3)
    ? [random.pick(world.namespaces), random.pick(world.namespaces)]
    : [random.pick(world.namespaces)];
  const spec = { groupUid: group, claimMatch, policy: { adoption: "IfExists" } };
  for (const namespace of new Set(namespaces)) await declare(hands, musterObject("Identity", namespace, name, spec));
}

async function adoptByUid(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const name = journal.newName("adopted");
  journal.mayStay.add(name);
  const namespace = random.pick(world.namespaces);
  const parentUid = world.fixed.groups[random.pick([world.homeOf(namespace), "shared"] as const)];
  const resource = await world.platform.create("groups", parentUid, { name });
  journal.handMade.set(resource.uid, { collection: "groups", resource, mayBeTaken: true });
  await declare(hands, musterObject("Group", namespace, name, { parentUid, uid: resource.uid }));
}

async function orphan(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Group", "Identity");
  const { kube } = hands.world;
  const object = await kube.get(refOf(one));
  for (const name of [one.name, object["spec"].name]) if (name !== undefined) hands.journal.mayStay.add(name);
  await kube.patch(refOf(one), { spec: { policy: { deletion: "Orphan" } } });
  if (hands.random.chance(0.6)) {
    hands.journal.forget(one);
    await kube.delete(refOf(one));
  }
}

async function expire(hands: Hands): Promise<void> {
  const one = anyOf(hands, "RoleBinding");
  const ms = hands.random.weighted([
    [4, 2_000],
    [3, 6_000],
    [1, 3_600_000],
  ]);
  const expiresAt = new Date(Date.now() + ms).toISOString().replace(/\.\d+Z$/, "Z");
  await hands.world.kube.patch(refOf(one), { spec: { expiresAt } });
}

async function moveNamespace({ world, random }: Hands): Promise<void> {
  await world.assign(random.pick(world.namespaces), random.pick(teams));
}

async function deleteNamespace({ world, journal, random }: Hands): Promise<void> {
  const namespace = random.pick(world.namespaces);
  for (const one of journal.declared.values()) if (one.namespace === namespace) journal.forget(one);
  await world.deleteNamespace(namespace);
}

const shortMs = 1_500;

async function narrowTenant({ world, random }: Hands): Promise<void> {
  const team = random.pick(teams);
  await world.applyTenant(team, { groups: [world.fixed.groups.shared] });
  await sleep(random.int(0, shortMs));
  await world.applyTenant(team);
}

async function recreateTenant({ world, random }: Hands): Promise<void> {
  const team = random.pick(teams);
  const tenant = tenantRef(world.tenants[team]);
  await world.kube.delete(tenant);
  await sleep(random.int(0, shortMs));
  // The finalizer waits until no object needs the Tenant. An administrator does not wait.
  if ((await world.kube.find(tenant)) !== undefined) await world.kube.patch(tenant, { metadata: { finalizers: null } });
  await world.applyTenant(team);
}

async function replaceCredentials({ world, random }: Hands): Promise<void> {
  await world.applyTenant("blue", { own: random.chance(0.7) });
}

async function overlap({ world, random }: Hands): Promise<void> {
  const name = `${world.tenants.red}-overlap`;
  const namespace = random.pick(world.namespaces);
  const spec = { namespaces: [namespace], groups: [world.system.root], roles: ["viewer"] };
  await world.kube.apply({ ...tenantRef(name), spec });
  await sleep(random.int(0, shortMs));
  await world.kube.delete(tenantRef(name));
}

async function seen({ world, statuses }: Hands, one: Declared): Promise<KubeObject> {
  const object = await world.kube.get(refOf(one));
  if (object["status"]?.uid !== undefined && statuses.length < 1_000)
    statuses.push({ of: one, uid: object.metadata.uid ?? "", status: object["status"] });
  return object;
}

async function changeByHand(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const one = anyOf(hands, "Group", "Identity");
  const uid: string | undefined = (await seen(hands, one))["status"]?.uid;
  if (uid === undefined) return;
  const collection = one.kind === "Group" ? "groups" : "identities";
  const { description } = await world.platform.get(collection, uid);
  const change = random.pick([{ name: journal.newName("by-hand") }, { description: `by hand ${description}` }]);
  if ("name" in change && journal.mayStay.has(one.name)) journal.mayStay.add(change.name);
  journal.noteChangeByHand(one);
  await world.platform.update(collection, uid, change);
}

async function deleteByHand(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Identity", "RoleBinding");
  const uid: string | undefined = (await seen(hands, one))["status"]?.uid;
  if (uid === undefined) return;
  hands.journal.noteChangeByHand(one);
  await hands.world.platform.delete(one.kind === "Identity" ? "identities" : "roleBindings", uid);
}

/** A grant or an identity that no object declares: it must stay as it is. */
async function grantByHand({ world, journal, random }: Hands): Promise<void> {
  const group = world.fixed.groups[random.pick([...teams, "shared"] as const)];
  if (random.chance(0.3)) {
    const name = journal.newName("hand");
    // The marker of another cluster.
    const description = random.chance(0.5)
      ? "by hand"
      : `theirs [muster:0123abcd-${"0".repeat(15)}${random.int(0, 9)}]`;
    const body = { name, description, claimMatch: { issuer, subject: name } };
    const resource = await world.platform.create("identities", group, body);
    journal.handMade.set(resource.uid, { collection: "identities", resource, mayBeTaken: false });
    return;
  }
  const role = random.pick(["viewer", "owner"]);
  const body = { identityUid: world.fixed.auditor, roleUid: world.fixed.roles.get(role) };
  const resource = await world.platform.create("roleBindings", group, body);
  // An object may declare the same grant with the role viewer.
  journal.handMade.set(resource.uid, { collection: "roleBindings", resource, mayBeTaken: role === "viewer" });
}

async function loseStatus(hands: Hands): Promise<void> {
  const one = anyOf(hands, "Group", "Identity", "RoleBinding");
  const { status } = await seen(hands, one);
  if (status === undefined) return;
  const nothing = Object.fromEntries(Object.keys(status).map((field) => [field, null]));
  await hands.world.kube.patch(refOf(one), { status: { ...nothing, observedGeneration: -1 } }, "status");
}

/** As from a backup: a status that the object had before. */
async function restoreStatus(hands: Hands): Promise<void> {
  const { world, random, statuses } = hands;
  for (const one of [...hands.journal.declared.values()].slice(0, 200))
    if (random.chance(0.2)) await seen(hands, one).catch(() => undefined);
  if (statuses.length === 0) return;
  const { of, uid, status } = random.pick(statuses);
  const current = (await world.kube.get(refOf(of)))["status"] ?? {};
  const removed = Object.fromEntries(Object.keys(current).map((field) => [field, null]));
  await world.kube.patch(refOf(of), { metadata: { uid }, status: { ...removed, ...status } }, "status");
}
