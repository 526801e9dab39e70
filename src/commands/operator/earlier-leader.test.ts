import { expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { groupResource } from "#src/reconcile/policy/observed-fixture.testing.ts";
import { newResourceStores } from "#src/reconcile/observe/resource-stores.ts";
import { settleTimes } from "./earlier-leader.ts";

const settleMs = 15_000;
const now = 1_000;
const atOnce = { settledAt: now, soleLeaderSince: now };
const watchDelay = now + 120_000;

function cachesWith(finalizers: string[], unread?: string) {
  const caches = newResourceStores(kinds);
  for (const [kind, cache] of caches.entries()) {
    cache.addScope(undefined);
    if (kind === unread) continue;
    const objects = kind === "Group" ? [groupResource({ metadata: { finalizers } })] : [];
    cache.replace({ namespace: undefined, objects, resourceVersion: "5", versionAtStart: "0" });
  }
  return caches;
}

it("a process that creates the Lease is the first leader if no object carries our finalizer", () => {
  expect(settleTimes("created", cachesWith([]), now, settleMs)).toEqual(atOnce);
  expect(settleTimes("created", cachesWith(["another.example/finalizer"]), now, settleMs)).toEqual(atOnce);
});

it("a Lease that was deleted does not hide an earlier leader: an object carries our finalizer", () => {
  expect(settleTimes("created", cachesWith([finalizer]), now, settleMs)).toEqual({
    settledAt: now + settleMs,
    soleLeaderSince: watchDelay,
  });
});

it("a kind that has not been read may have such objects", () => {
  expect(settleTimes("created", cachesWith([], "Identity"), now, settleMs).settledAt).toBe(now + settleMs);
});

it("a Lease that was released needs no wait, and one that expired does, whatever the objects", () => {
  expect(settleTimes("released", cachesWith([finalizer]), now, settleMs)).toEqual({
    settledAt: now,
    soleLeaderSince: watchDelay,
  });
  expect(settleTimes("expired", cachesWith([]), now, settleMs)).toEqual({
    settledAt: now + settleMs,
    soleLeaderSince: watchDelay,
  });
});
