import { setTimeout as sleep } from "node:timers/promises";
import { finalizer } from "#src/api/custom-resource.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { endingIn, hourMs } from "./creations.ts";
import { anyOf, declare, type Hands, issuer, keptNamespace, type Operation, refOf, seen } from "./hands.ts";
import type { Declared } from "./journal.ts";
import { permittedRoles } from "./world.ts";

/** The operations on grants of which there are several, with their weights. */
export const equalGrantWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [5, ["declare a grant again", declareAgain]],
  [5, ["end one of equal grants", endEqual]],
  [3, ["grant by hand what is declared", grantDeclared]],
];

/** Another object for the grant of an object, which may end earlier. */
async function declareAgain(hands: Hands): Promise<void> {
  const { random, journal } = hands;
  const one = anyOf(hands, "RoleBinding");
  const { spec } = await seen(hands, one);
  const { expiresAt: _other, ...grant } = spec;
  await declareEnding(hands, musterObject("RoleBinding", one.namespace, journal.newName("again"), grant), {
    expiresAt: random.pick([undefined, endingIn(2_000), endingIn(8_000), endingIn(hourMs)]),
  });
}

/** One of several objects for the same grant ends, is deleted, or loses its status; another one still declares the grant. */
async function endEqual(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const groups = new Map<string, Declared[]>();
  for (const one of journal.of("RoleBinding")) {
    const { spec } = await world.kube.get(refOf(one)).catch(() => ({ spec: undefined }));
    if (spec === undefined) continue;
    const { expiresAt: _expiresAt, policy: _policy, ...grant } = spec;
    const key = JSON.stringify([one.namespace, grant]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const equal = [...groups.values()].filter(({ length }) => length > 1).flat();
  const one = random.pick(equal.filter(({ isKept }) => !isKept));
  await random.pick([
    async () => {
      const expiresAt = endingIn(1_000);
      await world.kube.patch(refOf(one), { spec: { expiresAt } });
      journal.noteExpiry(one, expiresAt);
    },
    async () => {
      journal.forget(one);
      await world.kube.delete(refOf(one));
    },
  ])();
}

/** A role binding that equals the one of an object: the object may take it over, if it loses its own. */
async function grantDeclared(hands: Hands): Promise<void> {
  const { world, journal } = hands;
  const one = anyOf(hands, "RoleBinding");
  const { status } = await seen(hands, one);
  if (status?.uid === undefined) return;
  const { parentUid, identityUid, roleUid } = status;
  const resource = await world.platform.create("roleBindings", parentUid, { identityUid, roleUid });
  journal.noteHandMade({ collection: "roleBindings", resource, mayBeTaken: true });
}

const restoredPairs = 4;

/**
 * Pairs of objects for the same grant, of which one has ended when an operator leads, or is being deleted; and a role binding that
 * equals both: somebody's, or that of an operator which died before it wrote the status. Both have the finalizer, from a policy
 * or from a backup. Must be called while no operator runs.
 */
export async function restoreEqualGrants(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const groupUid = world.fixed.groups.shared;
  for (let pair = 0; pair < restoredPairs; pair += 1) {
    const role = random.pick(permittedRoles);
    const name = journal.newName("hand");
    const identity = await world.platform.create("identities", groupUid, {
      name,
      claimMatch: { issuer, subject: name },
    });
    journal.noteHandMade({ collection: "identities", resource: identity, mayBeTaken: false });
    const identityUid = identity.uid;
    const restore = async (namespace: string, ends: Ends, more: Pick<Declared, "isKept"> = {}) => {
      const grant = { groupUid, identityUid, roleRef: { name: role } };
      const object = musterObject("RoleBinding", namespace, journal.newName("restored"), grant);
      const restored = { ...object, metadata: { ...object.metadata, finalizers: [finalizer] } };
      await declareEnding(hands, restored, ends, more);
      return restored;
    };
    const isExpiring = random.chance(0.6);
    // One that is not deleted shows at the end whether it has what it says.
    const lasting = async () => void (await restore(keptNamespace(hands), {}, { isKept: true }));
    const ending = async () => {
      const namespace = random.pick(world.namespaces);
      const object = await restore(namespace, isExpiring ? { expiresAt: endingIn(500) } : {});
      if (isExpiring) return;
      journal.forget({ kind: "RoleBinding", namespace, name: object.metadata.name });
      await world.kube.delete(object);
    };
    for (const create of random.chance(0.7) ? [ending, lasting] : [lasting, ending]) {
      await create();
      // The older one comes first, and the API server counts in seconds.
      if (random.chance(0.3)) await sleep(1_000);
    }
    if (random.chance(0.2)) continue;
    const body = { identityUid, roleUid: world.fixed.roles.get(role) };
    const resource = await world.platform.create("roleBindings", groupUid, body);
    journal.noteHandMade({ collection: "roleBindings", resource, mayBeTaken: true });
  }
}

interface Ends {
  readonly expiresAt?: string | undefined;
}

async function declareEnding(
  hands: Hands,
  object: KubeObject,
  { expiresAt }: Ends,
  more: Pick<Declared, "isKept"> = {},
): Promise<void> {
  const { namespace = "", name } = object.metadata;
  const spec = { ...object["spec"], ...(expiresAt === undefined ? {} : { expiresAt }) };
  await declare(hands, { ...object, spec }, more);
  hands.journal.noteExpiry({ namespace, name }, expiresAt ?? null);
}
