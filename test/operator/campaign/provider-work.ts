import { reconcileRequestedAtAnnotation } from "#src/api/annotations.ts";
import { emptySecret } from "#test/support/harness/secret-objects.ts";
import { builtInRole } from "./creations.ts";
import { anyOf, type Hands, type Operation, refOf } from "./hands.ts";

/** The operations on identity providers and their client secrets, with their weights. */
export const providerWork: readonly (readonly [number, readonly [string, Operation]])[] = [
  [4, ["edit provider", editProvider]],
  [8, ["replace client secrets", replaceSecrets]],
];

async function editProvider(hands: Hands): Promise<void> {
  const { world, random } = hands;
  const one = anyOf(hands, "IdentityProvider");
  const change = random.weighted([
    [2, { defaultRoleRef: { name: builtInRole(random) } }],
    [1, { clientSecretRef: null }],
    [1, { clientSecretRef: { name: one.name } }],
  ]);
  await world.kube.patch(refOf(one), { spec: change });
}

/** Other client secrets for all identity providers of a namespace, and mostly the request to send them: nothing watches Secrets. */
async function replaceSecrets(hands: Hands): Promise<void> {
  const { world, journal, random } = hands;
  const { namespace } = anyOf(hands, "IdentityProvider");
  for (const one of journal.of("IdentityProvider", namespace)) {
    if (!journal.isPermitted(namespace, one.name)) continue;
    const rotation = journal.newName("rotation");
    const value = `planted-client-secret-${rotation}`;
    world.system.secrets.push(value);
    const requested = journal.noteReplacedSecret(one);
    await world.kube.patch(emptySecret(namespace, one.name), { stringData: { clientSecret: value } });
    if (random.chance(0.2)) continue;
    await world.kube.patch(refOf(one), { metadata: { annotations: { [reconcileRequestedAtAnnotation]: rotation } } });
    requested();
  }
}
