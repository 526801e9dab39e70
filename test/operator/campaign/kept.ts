import { type AnyMusterKind, musterObject } from "#test/support/harness/muster-objects.ts";
import { emptySecret } from "#test/support/harness/secret-objects.ts";
import {
  endingIn,
  hourMs,
  peopleIssuer,
  permit,
  plantClientSecret,
  someAccounts,
  someCapabilities,
} from "./creations.ts";
import { declare, type Hands, issuer } from "./hands.ts";
import { teams } from "./world.ts";

/**
 * Declares one object of each kind for each team, which operations change, but do not delete: of what random work declares,
 * little is left to be compared at the end, and of some kinds mostly nothing.
 */
export async function declareKept(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  for (const team of teams) {
    const namespace = world.namespaces.find((one) => world.homeOf(one) === team) ?? "";
    const keep = (kind: AnyMusterKind, name: string, spec: object) =>
      declare(hands, musterObject(kind, namespace, name, spec), { isKept: true });
    const [group, identity, role] = [journal.newName("kept-g"), journal.newName("kept-i"), journal.newName("kept-r")];
    const [provider, invite] = [journal.newName("kept-p"), journal.newName("kept-v")];
    const groupRef = { name: group };
    // In a group that both Tenants permit: the namespace may move.
    await keep("Group", group, { parentUid: world.fixed.groups.shared });
    await keep("Identity", identity, { groupRef, claimMatch: { issuer, subject: identity } });
    await keep("Role", role, { groupRef, capabilities: someCapabilities(random) });
    const roleRef = { kind: "Role", name: role };
    await keep("RoleBinding", journal.newName("kept-b"), { groupRef, identityRef: { name: identity }, roleRef });
    await keep("AccountAssociation", journal.newName("kept-a"), { groupRef, ...someAccounts(random) });
    await plantClientSecret(hands, { namespace, name: provider });
    await keep("IdentityProvider", provider, {
      groupRef,
      issuer: peopleIssuer,
      clientId: provider,
      clientSecretRef: { name: provider },
      defaultRoleRef: { name: "viewer" },
    });
    await permit(hands, emptySecret(namespace, invite), ["get", "patch"]);
    await keep("GroupInvite", invite, {
      groupRef,
      roleRef: { name: "viewer" },
      email: `${invite}@example.com`,
      singleUse: true,
      expiresAt: endingIn(hourMs),
      secretRef: { name: invite },
    });
  }
}
