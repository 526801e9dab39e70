import { setTimeout as sleep } from "node:timers/promises";
import { isReady, musterObject } from "#test/support/harness/muster-objects.ts";
import { anyAtRest, declare, type Hands, hasClaims, type Operation, refOf } from "./hands.ts";
import { teams } from "./world.ts";

/** The operations that could give an editor the roles of an identity, with their weights. */
export const captureWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [4, ["capture a role bound by hand", captureRole]],
];

/**
 * An administrator binds a role to the identity of an object by hand, which the Tenant may not bind, in a group above it; then
 * an editor changes who may assume the identity. That must not happen, because it would give the editor the role. Sometimes the
 * editor changed it just before, so that the role bindings of the identity were read; or declares the role binding, in vain.
 */
async function captureRole(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const { platform, kube, fixed } = world;
  const { one, resource } = await anyAtRest(hands, ["Identity"], hasClaims);
  const assumedBy = async (subject: string) => kube.patch(refOf(one), { spec: { claimMatch: { subject } } });
  if (random.chance(0.4)) {
    await assumedBy(journal.newName("before"));
    await kube.waitFor(refOf(one), isReady, { timeoutMs: 20_000 });
    await world.proxy.settled();
  }
  const above = [fixed.groups.shared, ...teams.map((team) => fixed.groups[team])].filter((uid) =>
    resource.uid.startsWith(uid),
  );
  // A Tenant with credentials of its own sees only what is in its groups.
  if (resource.uid.startsWith(`${fixed.groups.red}/`)) above.push(world.system.root);
  const groupUid = random.pick(above);
  const body = { identityUid: resource.uid, roleUid: fixed.roles.get("owner") };
  const binding = await platform.create("roleBindings", groupUid, body);
  journal.noteHandMade({ collection: "roleBindings", resource: binding, mayBeTaken: false });
  journal.held.set(resource.uid, (await platform.get("identities", resource.uid))["claimMatch"]);
  if (random.chance(0.3)) {
    const spec = { groupUid, identityUid: resource.uid, roleRef: { name: "owner" } };
    await declare(hands, musterObject("RoleBinding", one.namespace, journal.newName("claim"), spec));
  }
  await sleep(
    random.weighted([
      [2, 0],
      [1, random.int(0, 3_000)],
    ]),
  );
  await assumedBy(journal.newName("captured"));
}
