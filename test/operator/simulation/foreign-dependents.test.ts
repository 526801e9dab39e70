import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Manifest } from "./memory-kube.ts";
import { blue, issuer, red, TwoTenants } from "./two-tenants.ts";

// Anybody who may create objects somewhere can refer to what is not theirs, and must not keep its owners from deleting it.

const policy = { management: "Full", adoption: "Never", drift: "Correct" };
const shop: Manifest = { kind: "Group", name: "shop", namespace: "team", spec: { parentUid: red, policy } };
const paused = { [pausedAnnotation]: "true" };
const lets = { claimMatch: { issuer, subject: "ci" } };

/** Objects of the blue Tenant, which was never permitted to use the group of the red one. */
const strangers: readonly { readonly name: string; readonly of: (shopUid: string) => Manifest }[] = [
  {
    name: "an identity in it, by name",
    of: () => stranger("Identity", { groupRef: { name: "shop", namespace: "team" }, ...lets, policy }),
  },
  { name: "an identity in it, by uid", of: (groupUid) => stranger("Identity", { groupUid, ...lets, policy }) },
  {
    name: "a role binding in it",
    of: (groupUid) =>
      stranger("RoleBinding", {
        groupUid,
        identityUid: `${blue}/00000000000000f1`,
        roleRef: { name: "viewer" },
        policy: { management: "Full", drift: "Correct" },
      }),
  },
];

function stranger(kind: string, spec: object): Manifest {
  return { kind, name: "stranger", namespace: "other", spec };
}

describe("a group to which an object of another Tenant refers without a grant", () => {
  it.each(strangers.flatMap((one) => [{}, paused].map((annotations) => ({ ...one, annotations }))))(
    "is deleted: $name, $annotations",
    async ({ of, annotations }) => {
      const world = new TwoTenants({ admission: true });
      const { scenario } = world;
      world.tenant("red", { groups: [red] });
      world.tenant("blue", { groups: [blue] });
      await world.apply([shop]);
      await world.until("Available", [shop]);
      const uid = world.statusOf(shop)?.uid ?? "";
      const other = { ...of(uid), annotations };
      await world.apply([other], 5_000);
      // The next leader has not seen what the object did before.
      scenario.handOver();
      await scenario.pass(5_000);
      scenario.kube.remove(other);
      await scenario.pass(5_000);
      await world.remove([shop]);
      expect(scenario.platform.has(uid)).toBe(false);
    },
  );
});
