import { describe, expect, it } from "vitest";
import { PlatformFailure } from "./failure.ts";
import { GovernedApi } from "./governed-api.ts";
import { ManualClock } from "#src/time/manual-clock.testing.ts";
import type { PlatformApi } from "./api.ts";
import { OwnerCheck } from "./owner-check.ts";
import { withRecordedOwner } from "./owner-record.ts";

const identity = `${"a".repeat(40)}/0000000000000001`;

/** A platform whose identity has the description that `describe` sets. */
function setUp(description: string) {
  const clock = new ManualClock();
  const platform = { description, reads: 0, isAway: false, latencyMs: 0 };
  const platformApi = {
    get: async () => {
      if (platform.isAway) throw new PlatformFailure("get", { kind: "noResponse", message: "away" });
      platform.reads += 1;
      const response = { uid: identity, description: platform.description };
      if (platform.latencyMs > 0) await clock.sleep(platform.latencyMs, signal);
      return response;
    },
  } as unknown as PlatformApi;
  const { signal } = new AbortController();
  const api = new GovernedApi(platformApi, {
    address: "https://platform.example",
    probedGroup: identity,
    clock,
    random: () => 0,
    signal,
  });
  const check = new OwnerCheck({ api, identity, owner: "cluster-1", clock, signal });
  const session = new AbortController();
  let recoveries = 0;
  check.onRecovery(() => (recoveries += 1), session.signal);
  return { clock, platform, check, session, recoveries: () => recoveries };
}

it("lets writes through while the identity records this owner, with one read a minute", async () => {
  const { clock, platform, check } = setUp(withRecordedOwner("", "cluster-1"));
  await Promise.all([check.require(), check.require()]);
  await clock.advance(59_000);
  await check.require();
  expect(platform.reads).toBe(1);
  await clock.advance(1_000);
  await check.require();
  expect(platform.reads).toBe(2);
  expect(check.mismatch).toBeUndefined();
});

it.each([
  ["another owner", withRecordedOwner("", "cluster-2"), "cluster-2"],
  ["another class of this owner", withRecordedOwner("", "cluster-1/test"), "cluster-1/test"],
  ["no owner", "the operator", null],
])("lets nothing through if the identity records %s", async (_, description, recorded) => {
  const { check } = setUp(description);
  await expect(check.require()).rejects.toMatchObject({
    problem: { kind: "ownerMismatch", expected: "cluster-1", recorded },
  });
  expect(check.mismatch).toEqual({ recorded });
});

it("notices within a minute that another cluster took the identity over, and that it was given back", async () => {
  const { clock, platform, check, recoveries } = setUp(withRecordedOwner("", "cluster-1"));
  await check.require();
  platform.description = withRecordedOwner("", "cluster-2");
  await clock.advance(60_000);
  await expect(check.require()).rejects.toMatchObject({ problem: { kind: "ownerMismatch" } });
  platform.description = withRecordedOwner("", "cluster-1");
  await clock.advance(5_000);
  await expect(check.require()).resolves.toBeUndefined();
  expect([check.recoveries, recoveries()]).toEqual([1, 1]);
});

describe("before a write that takes something away", () => {
  const ours = withRecordedOwner("", "cluster-1");
  const mismatch = { problem: { kind: "ownerMismatch", recorded: "cluster-2" } };

  it("notices at once that another cluster took the identity over", async () => {
    const { platform, check } = setUp(ours);
    await check.require();
    platform.description = withRecordedOwner("", "cluster-2");
    await expect(check.require()).resolves.toBeUndefined();
    await expect(check.requireByNewRead()).rejects.toMatchObject(mismatch);
    await expect(check.require()).rejects.toMatchObject(mismatch);
  });

  it("is not served by a read that was in flight when the write was decided", async () => {
    const { clock, platform, check } = setUp(ours);
    platform.latencyMs = 20;
    const earlier = check.requireByNewRead();
    await clock.advance(10);
    platform.description = withRecordedOwner("", "cluster-2");
    const later = expect(check.requireByNewRead()).rejects.toMatchObject(mismatch);
    await clock.advance(10);
    await expect(earlier).resolves.toBeUndefined();
    await clock.advance(100);
    await later;
    expect(platform.reads).toBe(2);
  });

  it("reads once for all that wait for a read to start, and each time for one after the other", async () => {
    const { clock, platform, check } = setUp(ours);
    platform.latencyMs = 20;
    const burst = Array.from({ length: 8 }, () => check.requireByNewRead());
    for (let later = 0; later < 8; later += 1) {
      await clock.advance(10);
      burst.push(check.requireByNewRead());
    }
    await clock.advance(40);
    await Promise.all(burst);
    expect(platform.reads).toBe(2);
    for (let write = 0; write < 3; write += 1) {
      await clock.advance(100);
      const writing = check.requireByNewRead();
      await clock.advance(20);
      await writing;
    }
    expect(platform.reads).toBe(5);
  });

  it("does not read a mismatch again within five seconds", async () => {
    const { clock, platform, check } = setUp(withRecordedOwner("", "cluster-2"));
    for (let write = 0; write < 3; write += 1) await expect(check.requireByNewRead()).rejects.toMatchObject(mismatch);
    expect(platform.reads).toBe(1);
    platform.description = ours;
    await clock.advance(5_000);
    await expect(check.requireByNewRead()).resolves.toBeUndefined();
    expect(platform.reads).toBe(2);
  });

  it("reads again after the read in flight failed", async () => {
    const { platform, check } = setUp(ours);
    platform.isAway = true;
    const failed = expect(check.require()).rejects.toThrow("away");
    const write = check.requireByNewRead();
    platform.isAway = false;
    await failed;
    await expect(write).resolves.toBeUndefined();
  });
});

it("reports to every session that an outage of the operator's credential has ended, until the session ends", async () => {
  const { clock, platform, check, session, recoveries } = setUp(withRecordedOwner("", "cluster-1"));
  const outage = async () => {
    platform.isAway = true;
    for (let call = 0; call < 3; call += 1) await expect(check.require()).rejects.toThrow();
    await clock.advance(0);
    await expect(check.require()).rejects.toMatchObject({ problem: { kind: "suspended" } });
    platform.isAway = false;
    await clock.advance(3_000);
  };
  await outage();
  await check.require();
  expect([check.recoveries, recoveries()]).toEqual([1, 1]);
  session.abort();
  await clock.advance(60_000);
  await outage();
  expect([check.recoveries, recoveries()]).toEqual([2, 1]);
});
