import { expect, it } from "vitest";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { PlatformApi } from "./api.ts";
import { GovernedApi } from "./governed-api.ts";
import { groupCollection } from "./group-collection.testing.ts";
import { OwnerCheck } from "./owner-check.ts";
import { withRecordedOwner } from "./owner-record.ts";
import { PostLedger } from "./post-ledger.ts";
import { PlatformSession } from "./session.ts";
import { group, identity, lost, problemOf, root, world } from "./session-world.testing.ts";

it("reads permissions once per token", async () => {
  const { session, state, calls } = world();
  await Promise.all([session.refreshPermissions(), session.refreshPermissions()]);
  await session.refreshPermissions();
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(1);
  let notified = 0;
  session.onPermissionsChanged(() => (notified += 1));
  state.epoch = 2;
  await session.refreshPermissions();
  await session.refreshPermissions();
  expect(calls.filter((one) => one.startsWith("list roles"))).toHaveLength(2);
  expect(notified).toBe(1);
});

/** The operator's credential, with the check of its owner, on a platform that is away. */
function operatorAway() {
  const platform = { isAway: true };
  const api = {
    get: async () => {
      if (platform.isAway) throw lost();
      return { uid: identity, description: withRecordedOwner("", "cluster") };
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const clock = new ManualClock();
  const operator = new GovernedApi(api, {
    address: "https://platform.example",
    probedGroup: root,
    clock,
    random: () => 0,
    signal,
  });
  const ownerCheck = new OwnerCheck({ api: operator, identity, owner: "cluster", clock, signal });
  return { platform, clock, signal, operator, ownerCheck };
}

it("recovers when the operator's credential does, which the check of the owner needs for every write", async () => {
  const { platform, clock, ownerCheck } = operatorAway();
  const { session } = world({ ownerCheck });
  let recoveries = 0;
  session.onRecovery(() => (recoveries += 1));
  const write = () => problemOf(session.update(groupCollection, group, { name: "new" }, ["name"]));
  for (let call = 0; call < 3; call += 1) await write();
  await clock.advance(0);
  expect(await write()).toMatchObject({ kind: "suspended" });
  expect([session.outage, session.recoveries, recoveries]).toEqual([undefined, 0, 0]);
  platform.isAway = false;
  await clock.advance(3_000);
  expect([session.recoveries, recoveries]).toEqual([1, 1]);
  expect(await write()).toBeUndefined();
});

it("counts the recovery of the operator's own credential once", async () => {
  const { platform, clock, signal, operator, ownerCheck } = operatorAway();
  const session = new PlatformSession({
    api: operator,
    identity,
    roots: [root],
    credentialEpoch: () => 1,
    collections: [groupCollection],
    posts: new PostLedger(1_000),
    owner: ownerCheck,
    clock,
    signal,
    canWrite: () => true,
  });
  let recoveries = 0;
  session.onRecovery(() => (recoveries += 1));
  for (let call = 0; call < 4; call += 1) await session.read(groupCollection, group).catch(() => undefined);
  await clock.advance(0);
  expect(session.outage).toBeDefined();
  platform.isAway = false;
  await session.read(groupCollection, group).catch(() => undefined);
  await clock.advance(3_000);
  expect([session.outage, session.recoveries, recoveries]).toEqual([undefined, 1, 1]);
});
