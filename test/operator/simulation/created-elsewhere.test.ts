import { expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { shared, TwoTenants } from "./two-tenants.ts";

// What one session created, and another session, whose lists are older, does not know: its uid is not recorded yet when the
// Tenants change.

const reader = `${shared}/00000000000000f1`;
const drift = { drift: "Correct" };
const grantIn = (namespace: string): Manifest => ({
  kind: "RoleBinding",
  name: "reads",
  namespace,
  spec: { groupUid: shared, identityUid: reader, roleRef: { name: "viewer" }, policy: drift },
});
/** The namespace of the blue Tenant comes first, by its name. */
const [first, second] = [grantIn("other"), grantIn("team")];
const group: Manifest = {
  kind: "Group",
  name: "shop",
  namespace: "other",
  spec: { parentUid: shared, policy: { ...drift, adoption: "Never", deletion: "Delete" } },
};
/** From before the objects are declared until after all of them are at rest: how long after the declaration, if it is after it. */
const momentsMs = [undefined, ...Array.from({ length: 16 }, (_, moment) => moment)];

interface Change {
  readonly name: string;
  readonly make: (world: TwoTenants) => void;
}

const move: Change = { name: "moves to another Tenant", make: (world) => world.assign("other", "red") };
const changes: readonly Change[] = [
  move,
  { name: "loses its Tenant", make: (world) => world.assign("other", "nobody") },
  {
    name: "is selected by two Tenants",
    make: (world) => world.tenant("third", { namespaces: ["other"], groups: [shared] }),
  },
  {
    name: "loses its Tenant, whose session ends",
    make: ({ scenario: { kube } }) => {
      const tenant = { kind: "Tenant", name: "blue" } as const;
      kube.clearFinalizers(tenant);
      kube.removeCluster(tenant);
    },
  },
];

/** Every session has a list of everything from before the objects were declared. */
async function changeAfter(
  ms: number | undefined,
  objects: readonly Manifest[],
  { make }: Change,
): Promise<TwoTenants> {
  const world = new TwoTenants();
  const { scenario } = world;
  scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  await scenario.pass(30);
  await scenario.resync();
  if (ms === undefined) make(world);
  await world.apply(objects);
  if (ms !== undefined) {
    await scenario.pass(ms);
    make(world);
  }
  await scenario.pass(30_000);
  return world;
}

it.each(changes)(
  "an equal role binding is created once for each object if the namespace of one $name",
  async (change) => {
    const outcomes = new Set<string>();
    for (const ms of momentsMs) {
      const world = await changeAfter(ms, [first, second], change);
      const created = world.scenario.platform.createdIn("roleBindings").map(({ uid }) => uid);
      const [one, other] = [first, second].map((object) => world.statusOf(object)?.uid);
      const recorded = [one, other].filter((uid) => uid !== undefined);
      expect(recorded.toSorted(), `the moment ${ms}`).toEqual(created.toSorted());
      outcomes.add(one === undefined ? "the second has it" : "the first had recorded it");
    }
    // The change comes before and after the uid of the first is recorded.
    if (change !== move) expect([...outcomes]).toEqual(["the second has it", "the first had recorded it"]);
  },
);

it("a group is created once if its namespace moves to another Tenant", async () => {
  for (const ms of momentsMs) {
    const world = await changeAfter(ms, [group], move);
    const created = world.scenario.platform.createdIn("groups").map(({ uid }) => uid);
    expect(created, `the moment ${ms}`).toEqual([world.statusOf(group)?.uid]);
  }
});
