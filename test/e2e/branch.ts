import { namespace } from "#test/node/labelled-pod.ts";
import { root } from "#test/node/try-out.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { allMusterKinds, isReady, kindRef, musterObject } from "#test/support/harness/muster-objects.ts";

/** A group with a subgroup, in which there is an identity with a role. */
export function branch(name: string): readonly KubeObject[] {
  const subgroup = { name: `${name}-subgroup` };
  const claims = { issuer: "https://token.actions.githubusercontent.com", subject: `repo:example/${name}:main` };
  return [
    musterObject("Group", namespace, name, { parentUid: root }),
    musterObject("Group", namespace, subgroup.name, { parentRef: { name } }),
    musterObject("Identity", namespace, name, { groupRef: subgroup, claimMatch: claims }),
    musterObject("RoleBinding", namespace, name, {
      groupRef: subgroup,
      identityRef: { name },
      roleRef: { name: "viewer" },
    }),
  ];
}

/** Applies branches with numbers: four objects each. */
export async function applyBranches(admin: KubeClient, count: number): Promise<void> {
  const atOnce = 10;
  for (let start = 0; start < count; start += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - start) }, (_, index) => start + index);
    await Promise.all(numbers.flatMap((number) => branch(`branch-${number}`)).map((object) => admin.apply(object)));
  }
}

/** Waits until all of Muster's objects in the namespace are Ready. */
export async function allReady(admin: KubeClient, timeoutMs: number): Promise<void> {
  for (const kind of allMusterKinds) {
    const objects = await admin.list(kindRef(kind), { namespace });
    for (const object of objects) if (!isReady(object)) await admin.waitFor(object, isReady, { timeoutMs });
  }
}
