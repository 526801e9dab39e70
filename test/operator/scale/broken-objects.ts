import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { Team } from "./team.ts";

type Make = (namespace: string, name: string, context: Context) => KubeObject;

interface Context {
  /** The uid of the Tenant's group. */
  readonly group: string;
  /** The uid of a group of another Tenant. */
  readonly foreignGroup: string;
}

const issuer = "https://token.actions.githubusercontent.com";
const claimMatch = (name: string) => ({ issuer, subject: `repo:example/${name}:ref:main` });

/** One of each problem: references that do not exist, what the Tenant denies, and what the platform refuses. */
const problems: readonly Make[] = [
  (namespace, name) => musterObject("Group", namespace, name, { parentRef: { name: `${name}-missing` } }),
  (namespace, name) =>
    musterObject("Identity", namespace, name, { groupRef: { name: `${name}-missing` }, claimMatch: claimMatch(name) }),
  (namespace, name, { group }) =>
    musterObject("RoleBinding", namespace, name, {
      groupUid: group,
      identityRef: { name: `${name}-missing` },
      roleRef: { name: "viewer" },
    }),
  (namespace, name, { foreignGroup }) => musterObject("Group", namespace, name, { parentUid: foreignGroup }),
  (namespace, name, { group }) =>
    musterObject("Identity", namespace, name, {
      groupUid: group,
      claimMatch: { issuer: "https://not-permitted.example", subject: name },
    }),
  (namespace, name, { group }) =>
    musterObject("RoleBinding", namespace, name, {
      groupUid: group,
      identityRef: { name: `${name}-missing` },
      roleRef: { name: "owner" },
    }),
  // The API server accepts the document, and the platform knows no such kind of key.
  (namespace, name, { group }) =>
    musterObject("Identity", namespace, name, {
      groupUid: group,
      staticKeys: {
        issuer: "https://issuer.example",
        subject: name,
        issuerKeys: '{"keys": [{"kty": "none"}]}',
        audiences: ["example"],
      },
    }),
  // The platform has such a group, and the objects may not adopt it.
  (namespace, name, { group }) => musterObject("Group", namespace, name, { parentUid: group, name: takenName }),
];

/** The name of a group that must exist in the team's group on the platform. */
export const takenName = "taken";

/** Objects of a team that cannot become Ready, in equal shares of every problem. */
export function brokenObjects(count: number, team: Team, foreignGroup: string): KubeObject[] {
  const context = { group: team.group, foreignGroup };
  return Array.from({ length: count }, (_, index) => {
    const make = problems[index % problems.length] as Make;
    const namespace = team.namespaces[Math.floor(index / problems.length) % team.namespaces.length] ?? "";
    return make(namespace, `broken-${index}`, context);
  });
}
