import { expect, it } from "vitest";
import type { PlatformSession } from "#src/platform-client/session.ts";
import { Removals } from "./removals.ts";

const [session, other] = [{} as PlatformSession, {} as PlatformSession];

it("believes a removal until a list that started afterwards shows the resource", () => {
  const removals = new Removals();
  removals.recordRemoved("x", undefined, 10);
  expect([9, 10, 11].map((listedAt) => removals.isRemoved("x", listedAt))).toEqual([true, true, false]);
  expect(removals.isRemoved("y", 9)).toBe(false);
});

it("forgets the oldest of very many removals", () => {
  const removals = new Removals();
  const last = 50_000;
  for (let count = 0; count < last; count++) removals.recordRemoved(`${count}`, undefined, 10);
  expect(removals.isRemoved("0", 10)).toBe(true);
  removals.recordRemoved(`${last}`, undefined, 10);
  expect(["0", "1", `${last}`].map((uid) => removals.isRemoved(uid, 10))).toEqual([false, true, true]);
});

it("remembers what came back, by what it is", () => {
  const removals = new Removals();
  removals.recordRemoved("x", "a grant", 10);
  removals.recordRemoved("y", undefined, 11);
  removals.recordRemoved("z", "a grant", 12);
  expect([...removals.recent(20)]).toEqual([["a grant", [10, 12]]]);
});

it("remembers attempts and names by session and group, until the session was listed", () => {
  const removals = new Removals();
  removals.recordAttempt(session, "group", "x", 10);
  removals.recordNamed(session, "group", "y");
  const attempted = (uid: string, through = session, group = "group") => removals.wasAttempted(through, group, uid);
  const named = (uid: string, through = session, group = "group") => removals.wasNamed(through, group, uid);
  expect([attempted("x"), attempted("y"), attempted("x", other), attempted("x", session, "else")]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect([named("y"), named("x"), named("y", other), named("y", session, "else")]).toEqual([true, false, false, false]);
  removals.forgetAttempts(session);
  expect([attempted("x"), named("y")]).toEqual([false, false]);
});

it("lets others go first for a moment after ten removals in a group", () => {
  const removals = new Removals();
  const pauses = Array.from({ length: 20 }, (_, index) => {
    removals.recordAttempt(session, "group", `${index}`, 1_000 * index);
    return removals.pausedUntil(session, "group");
  });
  expect(pauses).toEqual([...Array(9).fill(0), ...Array(10).fill(9_100), 19_100]);
  expect([removals.pausedUntil(session, "else"), removals.pausedUntil(other, "group")]).toEqual([0, 0]);
});
