import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";

const branches = ["one", "two", "three", "four"];

/** Four groups with a subgroup each, which has an identity with a role binding. Children come before their parents. */
export function tree(root: string, namespace: string): KubeObject[] {
  return branches
    .flatMap((branch) => [
      musterObject("Group", namespace, branch, { parentUid: root, description: `Branch ${branch}` }),
      musterObject("Group", namespace, `${branch}-subgroup`, { parentRef: { name: branch } }),
      musterObject("Identity", namespace, branch, {
        groupRef: { name: `${branch}-subgroup` },
        description: `The workload of ${branch}`,
        claimMatch: { issuer: "https://issuer.example", subject: branch },
      }),
      musterObject("RoleBinding", namespace, branch, {
        groupRef: { name: `${branch}-subgroup` },
        identityRef: { name: branch },
        roleRef: { name: "viewer" },
      }),
    ])
    .toReversed();
}
