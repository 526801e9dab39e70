import { inParallel } from "#test/support/bench/in-parallel.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import type { System } from "#test/support/harness/system.ts";
import { loadConcurrency } from "#test/operator/bench/apply.ts";
import type { Team } from "./team.ts";

/** A group with two identities and a role binding, which the platform has already, and the objects that adopt them. */
export interface AdoptableUnit {
  readonly adoptedBy: "spec.uid" | "name" | "leaving Observe";
  readonly givenUpBy: "deletion" | "Observe";
  readonly objects: readonly KubeObject[];
}

const ways = ["spec.uid", "name", "leaving Observe"] as const;
const resourcesPerUnit = 4;

/** Creates the resources of as many units as `resources` allows. */
export async function adoptableUnits(system: System, team: Team, resources: number): Promise<AdoptableUnit[]> {
  const viewer = (await system.admin.list("roles")).find(({ name }) => name === "viewer")?.uid ?? "";
  const units: AdoptableUnit[] = [];
  const numbers = Array.from({ length: Math.floor(resources / resourcesPerUnit) }, (_, number) => number);
  await inParallel(numbers, loadConcurrency, async (number) => {
    units[number] = await unit(system, team, number, viewer);
  });
  return units;
}

async function unit({ admin }: System, team: Team, number: number, viewer: string): Promise<AdoptableUnit> {
  const adoptedBy = ways[number % ways.length] ?? "name";
  const givenUpBy = number % 2 === 0 ? "deletion" : "Observe";
  const name = `unit-${number}`;
  const description = `Number ${number}, made by hand`;
  const group = await admin.create("groups", team.group, { name, description });
  const robots = await Promise.all(
    [0, 1].map((robot) =>
      admin.create("identities", group.uid, { name: `${name}-${robot}`, description, claimMatch: claims(name, robot) }),
    ),
  );
  const binding = await admin.create("roleBindings", group.uid, { identityUid: robots[0]?.uid, roleUid: viewer });

  const namespace = team.namespaces[0] ?? "";
  const uid = (of: string | undefined) => (adoptedBy === "spec.uid" ? { uid: of } : {});
  const management = adoptedBy === "leaving Observe" ? "Observe" : "Full";
  const policy = { management, adoption: adoptedBy === "name" ? "IfExists" : "Never" };
  const objects = [
    musterObject("Group", namespace, name, { parentUid: team.group, ...uid(group.uid), policy }),
    ...robots.map((robot, index) =>
      musterObject("Identity", namespace, `${name}-${index}`, {
        groupRef: { name },
        claimMatch: claims(name, index),
        ...uid(robot.uid),
        policy,
      }),
    ),
    musterObject("RoleBinding", namespace, name, {
      groupRef: { name },
      identityRef: { name: `${name}-0` },
      roleRef: { name: "viewer" },
      ...uid(binding.uid),
      // A role binding that is deleted is deleted on the platform, even if it was adopted.
      policy: { management, deletion: "Orphan" },
    }),
  ];
  return { adoptedBy, givenUpBy, objects };
}

function claims(name: string, robot: number): object {
  return {
    issuer: "https://token.actions.githubusercontent.com",
    subject: `repo:example/${name}-${robot}:ref:main`,
  };
}
