import { describe, expect, it } from "vitest";
import type { Manifest } from "./memory-kube.ts";
import { red, TwoTenants } from "./two-tenants.ts";

// A new leader has not read the roles, and knows of no platform call. What a status says stays said until something is known that
// contradicts it: it would be written twice for each object, at each upgrade and each failover, and say meanwhile what is not true.

const reader = `${red}/00000000000000f1`;
const timeAfter = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString().replace(".000Z", "Z");
const expires = { expiresAt: timeAfter(60_000) };
const policy = { management: "Full", drift: "Correct" };
const observes = { policy: { ...policy, management: "Observe" } };

const grant = (fields: object): Manifest => ({
  kind: "RoleBinding",
  name: "one",
  namespace: "team",
  spec: { groupUid: red, identityUid: reader, roleRef: { name: "viewer" }, policy, ...fields },
});

const invite = (fields: object): Manifest => ({
  kind: "GroupInvite",
  name: "one",
  namespace: "team",
  spec: {
    groupUid: red,
    roleRef: { name: "viewer" },
    secretRef: { name: "one" },
    policy: { management: "Full" },
    ...fields,
  },
});

interface Case {
  readonly name: string;
  readonly reason: string;
  readonly one: Manifest;
  /** What happens after the object was reconciled, and before its grant expires. */
  readonly change?: (world: TwoTenants) => void;
}

const pause = ({ scenario }: TwoTenants) =>
  scenario.kube.annotate("RoleBinding", "one", { "iam.muster.dev/paused": "true" });
const leaveTenant = (world: TwoTenants) => world.assign("team", "none");

const cases: readonly Case[] = [
  { name: "is Ready", reason: "Available", one: grant({}) },
  { name: "has expired", reason: "Expired", one: grant(expires) },
  { name: "had expired when it was applied", reason: "Expired", one: grant({ expiresAt: timeAfter(-60_000) }) },
  { name: "has expired and only observes", reason: "Expired", one: grant({ ...expires, ...observes }) },
  { name: "has expired without a Tenant", reason: "Expired", one: grant(expires), change: leaveTenant },
  { name: "is an invite that has expired", reason: "Expired", one: invite(expires) },
  { name: "is paused", reason: "Paused", one: grant({}), change: pause },
  { name: "has no Tenant", reason: "NoTenant", one: grant({}), change: leaveTenant },
  { name: "is invalid", reason: "InvalidSpec", one: grant({ expiresAt: "2026-11-23T19:00:00+24:00" }) },
  { name: "is denied its role", reason: "TenantDenied", one: grant({ roleRef: { name: "owner" } }) },
  {
    name: "refers to what does not exist",
    reason: "ReferenceNotFound",
    one: grant({ identityUid: undefined, identityRef: { name: "absent" } }),
  },
];

/** The object at rest, long after all of it has happened. */
async function begin({ one, change, reason }: Case): Promise<TwoTenants> {
  const world = new TwoTenants();
  const { scenario } = world;
  scenario.platform.setInitial("identities", { uid: reader, name: "reader", description: "" });
  if (one.kind === "GroupInvite") scenario.kube.setSecret("one", {});
  await world.apply([one]);
  await scenario.pass(10_000);
  change?.(world);
  await scenario.pass(300_000);
  await scenario.resync();
  await scenario.pass(60_000);
  expect(world.reasonOf(one), world.messageOf(one)).toBe(reason);
  return world;
}

describe("a new leader writes nothing about an object that", () => {
  it.each(cases)("$name", async (one) => {
    const world = await begin(one);
    const { scenario } = world;
    const { writes } = scenario.kube;
    scenario.handOver();
    await scenario.pass(60_000);
    await scenario.resync();
    await scenario.pass(60_000);
    expect(scenario.kube.writes, JSON.stringify(world.statusOf(one.one))).toBe(writes);
  });
});

it.each(cases.filter(({ reason }) => reason === "Expired"))(
  "a new leader that cannot reach the platform does not deny that the grant has ended of an object that $name",
  async (one) => {
    const world = await begin(one);
    const { scenario } = world;
    const status = world.statusOf(one.one);
    scenario.handOver();
    scenario.platform.fault = () => ({ kind: "noResponse", message: "no response within 2000 ms" });
    await scenario.pass(60_000);
    expect(world.statusOf(one.one)).toEqual(status);
  },
);
