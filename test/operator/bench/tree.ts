import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const apiVersion = "iam.muster.dev/v1beta1";
const groupsPerParent = 10;
const roles = ["viewer", "editor", "registry.pull"] as const;

/**
 * So many objects as people would write them: a tree of groups, ten below each, with four identities and four bindings
 * in each group. Everything comes after what it refers to, as in a file.
 */
export function treeOf(objects: number, namespace: string, rootGroup: string): KubeObject[] {
  const tree: KubeObject[] = [];
  for (let number = 0; tree.length < objects; number += 1) tree.push(...groupWithMembers(number, namespace, rootGroup));
  return tree.slice(0, objects);
}

function groupWithMembers(number: number, namespace: string, rootGroup: string): KubeObject[] {
  const group = `group-${number}`;
  const parent =
    number < groupsPerParent
      ? { parentUid: rootGroup }
      : { parentRef: { name: `group-${Math.floor(number / groupsPerParent) - 1}` } };
  const members = [0, 1, 2, 3].map((member) => `${group}-robot-${member}`);
  return [
    {
      apiVersion,
      kind: "Group",
      metadata: { name: group, namespace },
      spec: { ...parent, description: `Team ${number}` },
    },
    ...members.map((name) => ({
      apiVersion,
      kind: "Identity",
      metadata: { name, namespace },
      spec: {
        groupRef: { name: group },
        description: `A robot of team ${number}`,
        claimMatch: { issuer: "https://token.actions.githubusercontent.com", subject: `repo:example/${name}:ref:main` },
      },
    })),
    ...members.map((name, member) => ({
      apiVersion,
      kind: "RoleBinding",
      metadata: { name: `${name}-works`, namespace },
      spec: {
        groupRef: { name: group },
        identityRef: { name },
        roleRef: { name: roles[member % roles.length] },
      },
    })),
  ];
}
