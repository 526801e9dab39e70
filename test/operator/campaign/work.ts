import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "#test/platform/fuzz/random.ts";
import { allMusterKinds, musterObject } from "#test/support/harness/muster-objects.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { associationWork } from "./association-work.ts";
import { workByHand } from "./by-hand.ts";
import { captureWork } from "./capture.ts";
import { creations, someCapabilities } from "./creations.ts";
import { downtimeWork, observeTree } from "./downtime.ts";
import { equalGrantWork } from "./equal-grants.ts";
import { expiryWork } from "./expiry.ts";
import { anyOf, anyToDelete, declare, type Hands, issuer, type Operation, refOf, seen } from "./hands.ts";
import { declareKept } from "./kept.ts";
import type { Journal } from "./journal.ts";
import { nameWork } from "./names.ts";
import { otherOwnerWork } from "./other-owner.ts";
import { providerWork } from "./provider-work.ts";
import { teams, type World } from "./world.ts";

/** The random work of people: in Kubernetes, and by hand on the platform. */
export class Work {
  readonly #hands: Hands;
  readonly #planned: (readonly [string, Operation])[];

  /**
   * @param count how many operations there are to be. If there are enough, each is done at least once: one that is rare would
   * be left out of every other round, and what it shows with it. The others are drawn by their weights.
   */
  constructor(world: World, journal: Journal, random: Random, count: number) {
    this.#hands = { world, journal, random, statuses: [] };
    const each = operations.map(([, operation]) => operation);
    const drawn = Array.from({ length: Math.max(0, count - each.length) }, () => random.weighted(operations));
    this.#planned = random.shuffled([...each, ...drawn]);
  }

  /** Declares what stays until the end of the round. */
  async begin(): Promise<void> {
    await declareKept(this.#hands);
  }

  /** The next operation. @returns its name. @throws {Error} if it was refused, as when its object is gone. */
  async next(): Promise<string> {
    const [name, operation] = this.#planned.pop() ?? this.#hands.random.weighted(operations);
    await operation(this.#hands);
    return name;
  }
}

const operations: readonly (readonly [number, readonly [string, Operation]])[] = [
  ...creations,
  [6, ["create and delete at once", createAndDelete]],
  [10, ["edit", edit]],
  [6, ["edit roles", editRoles]],
  ...providerWork,
  ...associationWork,
  [5, ["rename", rename]],
  [14, ["delete", remove]],
  [4, ["delete and create again", replace]],
  [4, ["adopt", adopt]],
  [3, ["adopt by uid", adoptByUid]],
  [4, ["orphan", orphan]],
  ...expiryWork,
  ...equalGrantWork,
  ...nameWork,
  ...captureWork,
  ...otherOwnerWork,
  ...downtimeWork,
  [2, ["observe what was made by hand", observeTree]],
  [5, ["move namespace", moveNamespace]],
  [1, ["delete namespace", deleteNamespace]],
  [2, ["narrow Tenant", narrowTenant]],
  [2, ["re-create Tenant", recreateTenant]],
  [2, ["replace credentials", replaceCredentials]],
  [2, ["overlap", overlap]],
  ...workByHand,
  [3, ["lose status", loseStatus]],
  [4, ["restore status", restoreStatus]],
];

/** Kinds with a name and a description. */
const named = ["Group", "Identity", "Role", "IdentityProvider", "AccountAssociation"] as const;

/** Somebody changes their mind while the operator creates what was declared. */
async function createAndDelete(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const before = new Set(journal.declared.values());
  const [, create] = random.weighted(creations);
  await create(hands);
  await sleep(random.int(0, 300));
  for (const one of journal.declared.values()) {
    if (before.has(one)) continue;
    journal.forget(one);
    await world.kube.delete(refOf(one));
  }
}

async function edit(hands: Hands): Promise<void> {
  const one = anyOf(hands, ...named);
  await hands.world.kube.patch(refOf(one), { spec: { description: hands.journal.newName("text") } });
}

async function rename(hands: Hands): Promise<void> {
  const one = anyOf(hands, ...named);
  const name = hands.journal.newName("renamed");
  hands.journal.noteName(one, name);
  await hands.world.kube.patch(refOf(one), { spec: { name } });
}

/** All of a namespace: of one alone, chance rarely takes a capability from a role that is still there at the end. */
async function editRoles(hands: Hands): Promise<void> {
  const { namespace } = anyOf(hands, "Role");
  for (const one of hands.journal.of("Role", namespace))
    await hands.world.kube.patch(refOf(one), { spec: { capabilities: someCapabilities(hands.random) } });
}

async function remove(hands: Hands): Promise<void> {
  const one = anyToDelete(hands, ...allMusterKinds);
  hands.journal.forget(one);
  await hands.world.kube.delete(refOf(one));
}

/** A deletion, and the same manifest again at once. */
async function replace(hands: Hands): Promise<void> {
  const { world, journal } = hands;
  const one = anyToDelete(hands, "Identity", "RoleBinding", "Role", "IdentityProvider", "AccountAssociation");
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
  journal.noteHandMade({ collection: "identities", resource, mayBeTaken: true });
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
  journal.noteHandMade({ collection: "groups", resource, mayBeTaken: true });
  await declare(hands, musterObject("Group", namespace, name, { parentUid, uid: resource.uid }));
}

async function orphan(hands: Hands): Promise<void> {
  if (!hands.world.settings.allowOrphan) return;
  const one = anyToDelete(hands, ...named, "GroupInvite");
  const { kube } = hands.world;
  const object = await kube.get(refOf(one));
  for (const name of [one.name, object["spec"].name, object["spec"].email])
    if (name !== undefined) hands.journal.mayStay.add(name);
  await kube.patch(refOf(one), { spec: { policy: { deletion: "Orphan" } } });
  if (hands.random.chance(0.6)) {
    hands.journal.forget(one);
    await kube.delete(refOf(one));
  }
}

async function moveNamespace({ world, random }: Hands): Promise<void> {
  await world.assign(random.pick(world.namespaces), random.pick(teams));
}

async function deleteNamespace({ world, journal, random }: Hands): Promise<void> {
  const kept = new Set([...journal.declared.values()].filter(({ isKept }) => isKept).map((one) => one.namespace));
  const namespace = random.pick(world.namespaces.filter((one) => !kept.has(one)));
  journal.forgetNamespace(namespace);
  await world.deleteNamespace(namespace);
}

const shortMs = 1_500;

async function narrowTenant({ world, random }: Hands): Promise<void> {
  const team = random.pick(teams);
  await world.applyTenant(team, { groups: [world.fixed.groups.shared] });
  await sleep(random.int(0, shortMs));
  await world.applyTenant(team);
}

async function recreateTenant({ world, journal, random }: Hands): Promise<void> {
  const team = random.pick(teams);
  const tenant = tenantRef(world.tenants[team]);
  for (const [namespace, of] of await world.assignments()) if (of === team) journal.ungoverned.add(namespace);
  await world.kube.delete(tenant);
  await sleep(random.int(0, shortMs));
  // The finalizer waits until no object needs the Tenant. An administrator does not wait.
  if ((await world.kube.find(tenant)) !== undefined) await world.kube.patch(tenant, { metadata: { finalizers: null } });
  await world.applyTenant(team);
}

async function replaceCredentials({ world, random }: Hands): Promise<void> {
  await world.applyTenant("blue", { own: random.chance(0.7) });
}

async function overlap({ world, journal, random }: Hands): Promise<void> {
  const name = `${world.tenants.red}-overlap`;
  const namespace = random.pick(world.namespaces);
  journal.ungoverned.add(namespace);
  const spec = { namespaces: [namespace], groups: [world.system.root], roles: ["viewer"] };
  await world.kube.apply({ ...tenantRef(name), spec });
  await sleep(random.int(0, shortMs));
  await world.kube.delete(tenantRef(name));
}

async function loseStatus(hands: Hands): Promise<void> {
  const one = anyOf(hands, ...allMusterKinds);
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
