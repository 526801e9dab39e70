import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";

const groupsPerParent = 10;
const roles = ["viewer", "editor", "registry.pull"] as const;

/**
 * A tree with the given number of objects: each group has up to ten child groups, four identities and four role
 * bindings. Every object comes after the objects that it references.
 * @param prefix begins every name, so that several trees can be below one group
 */
export function treeOf(objects: number, namespace: string, rootGroup: string, prefix = ""): KubeObject[] {
  const tree: KubeObject[] = [];
  for (let number = 0; tree.length < objects; number += 1)
    tree.push(...groupWithMembers(number, namespace, rootGroup, prefix));
  return tree.slice(0, objects);
}

function groupWithMembers(number: number, namespace: string, rootGroup: string, prefix: string): KubeObject[] {
  const group = `${prefix}group-${number}`;
  const parent =
    number < groupsPerParent
      ? { parentUid: rootGroup }
      : { parentRef: { name: `${prefix}group-${Math.floor(number / groupsPerParent) - 1}` } };
  const members = [0, 1, 2, 3].map((member) => `${group}-robot-${member}`);
  return [
    musterObject("Group", namespace, group, { ...parent, description: `Team ${number}` }),
    ...members.map((name) =>
      musterObject("Identity", namespace, name, {
        groupRef: { name: group },
        description: `A robot of team ${number}`,
        claimMatch: { issuer: "https://token.actions.githubusercontent.com", subject: `repo:example/${name}:ref:main` },
      }),
    ),
    ...members.map((name, member) =>
      musterObject("RoleBinding", namespace, `${name}-works`, {
        groupRef: { name: group },
        identityRef: { name },
        roleRef: { name: roles[member % roles.length] },
      }),
    ),
  ];
}
