import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";

const branches = ["one", "two", "three", "four"];

/** Four groups, in each of them another; in each of these an identity that is bound there: children first. */
export function tree(root: string, namespace: string): KubeObject[] {
  return branches
    .flatMap((branch) => [
      musterObject("Group", namespace, branch, { parentUid: root, description: `Branch ${branch}` }),
      musterObject("Group", namespace, `${branch}-below`, { parentRef: { name: branch } }),
      musterObject("Identity", namespace, branch, {
        groupRef: { name: `${branch}-below` },
        description: `Who works in ${branch}`,
        claimMatch: { issuer: "https://issuer.example", subject: branch },
      }),
      musterObject("RoleBinding", namespace, branch, {
        groupRef: { name: `${branch}-below` },
        identityRef: { name: branch },
        roleRef: { name: "viewer" },
      }),
    ])
    .toReversed();
}
