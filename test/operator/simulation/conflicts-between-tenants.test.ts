import { expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { awsAccount, blue, resource, shared, TwoTenants } from "./two-tenants.ts";

const policy = { management: "Full", adoption: "Never", deletion: "Delete", drift: "Correct" };
/** A group that both Tenants permit, and that is not one of their own. */
const common = `${shared}/00000000000000cc`;
const person = `${common}/00000000000000ee`;

it.each<[string, string, object]>([
  ["Group", "groups", { parentUid: common, name: "shop" }],
  ["AccountAssociation", "accountAssociations", { groupUid: common, amazon: { account: awsAccount } }],
  [
    "RoleBinding",
    "roleBindings",
    { groupUid: common, identityUid: person, roleRef: { name: "viewer" }, policy: { drift: "Correct" } },
  ],
])("the older object of another Tenant gets what one had that lost it: a %s", async (kind, collection, fields) => {
  const world = new TwoTenants();
  const { platform } = world.scenario;
  platform.set("groups", resource({ uid: common, name: "common", description: "" }));
  platform.set("identities", resource({ uid: person, name: "ana", description: "" }));
  const older: Manifest = { kind, name: "older", namespace: "other", spec: { policy, ...fields } };
  const younger: Manifest = { kind, name: "younger", spec: { policy, ...fields } };
  world.tenant("blue", { groups: [blue] });
  await world.apply([older]);
  await world.until("TenantDenied", [older]);
  await world.apply([younger]);
  await world.until("Available", [younger]);
  world.tenant("blue");
  await world.until("Conflict", [older]);
  await world.scenario.pass(60_000);
  platform.remove(collection, world.statusOf(younger)?.uid ?? "");
  await world.scenario.resync();
  await world.until("Available", [older]);
  await world.until("Conflict", [younger]);
  expect(world.writesAfter(0)).toEqual([`create ${collection}`, `create ${collection}`]);
});
