import { describe, expect, it } from "vitest";
import { present } from "./decision-cases.testing.ts";
import { deletedGroup } from "./ending-cases.testing.ts";
import { listBeforeNaming, readBeforeEnding, readBeforeUpdate } from "./freshness.ts";
import {
  anotherUid,
  decisionInput,
  emptyState,
  externalGroup,
  groupResource,
  type ObservedParts,
  parent,
  ready,
  uid,
} from "./observed-fixture.testing.ts";

const external = externalGroup();
const now = 100_000;
const managed = (readAt: number, parts: ObservedParts) =>
  decisionInput({ resource: groupResource({ status: ready }), external: present(external, readAt), now, ...parts });

describe("the read before a resource is deleted or given up", () => {
  const deleted = (readAt: number, deletionSeenAt?: number) =>
    readBeforeEnding(
      managed(readAt, {
        resource: deletedGroup({ status: ready }),
        state: { ...emptyState, ...(deletionSeenAt === undefined ? {} : { deletionSeenAt }) },
      }),
      uid,
    );

  it("starts after the deletion was seen", () => {
    expect(deleted(98_999, 99_000)).toEqual({ do: "read", uid, startedAfter: 99_000 });
    expect(deleted(99_000, 99_000)).toBeUndefined();
  });

  it("is made again if the object had to wait", () => {
    expect(deleted(84_999, 1_000)).toEqual({ do: "read", uid, startedAfter: 85_000 });
    expect(deleted(85_000, 1_000)).toBeUndefined();
  });

  it("starts after the edit was seen that gives the resource up", () => {
    const step = readBeforeEnding(managed(98_000, { state: { ...emptyState, specSeenAt: 99_000 } }), uid);
    expect(step).toEqual({ do: "read", uid, startedAfter: 99_000 });
  });

  it("starts after the object has expired", () => {
    const wallClock = Date.parse("2026-01-01T00:00:02Z");
    const resource = groupResource({ status: ready, spec: { expiresAt: "2026-01-01T00:00:00Z" } as object });
    expect(readBeforeEnding(managed(97_999, { resource, wallClock }), uid)).toMatchObject({ startedAfter: 98_000 });
    expect(readBeforeEnding(managed(98_000, { resource, wallClock }), uid)).toBeUndefined();
  });

  it("is needed of a resource that only its marker identifies, too", () => {
    const given = { matches: [externalGroup({ uid: anotherUid })], state: { ...emptyState, specSeenAt: 99_000 }, now };
    const readAt = (at: number) => ({ ...given, readTimes: [{ uid: anotherUid, at }] });
    expect(readBeforeEnding(decisionInput(readAt(98_999)), anotherUid)).toMatchObject({ do: "read", uid: anotherUid });
    expect(readBeforeEnding(decisionInput(readAt(99_000)), anotherUid)).toBeUndefined();
    expect(readBeforeEnding(decisionInput({ ...given, readTimes: [] }), anotherUid)).toBeDefined();
  });
});

describe("the read before a resource is changed", () => {
  const edited = (readAt: number, updatedAt?: number) => {
    const update = updatedAt === undefined ? {} : { update: { attemptOf: "", drift: [], at: updatedAt } };
    return readBeforeUpdate(managed(readAt, { state: { ...emptyState, specSeenAt: 99_000, ...update } }), external);
  };

  it("starts after the edit was seen, whatever a list has just shown", () => {
    expect(edited(98_999)).toEqual({ do: "read", uid, startedAfter: 99_000 });
    expect(edited(99_000)).toBeUndefined();
  });

  it("is not made again in a burst of edits: the response to the one before shows the resource", () => {
    expect(edited(90_001, 90_000)).toBeUndefined();
    expect(edited(85_000, 85_000)).toBeUndefined();
    expect(edited(84_001, 84_000)).toEqual({ do: "read", uid, startedAfter: 99_000 });
  });

  it("is not made for drift that a list has just shown", () => {
    expect(readBeforeUpdate(managed(85_000, {}), external)).toBeUndefined();
    expect(readBeforeUpdate(managed(84_999, {}), external)).toEqual({ do: "read", uid, startedAfter: 85_000 });
  });
});

describe("the list before a resource with a name is created", () => {
  const state = { ...emptyState, specSeenAt: 99_000 };
  const created = (parts: ObservedParts) => listBeforeNaming(decisionInput({ state, now, ...parts }), parent, "create");
  const list = { do: "listNamed", parent, name: "payments", startedAfter: 99_000 };

  it("starts after the object, or its last edit, was seen", () => {
    expect(created({ nameListedAt: 98_999 })).toEqual(list);
    expect(created({ nameListedAt: null })).toEqual(list);
    expect(created({ nameListedAt: 99_000 })).toBeUndefined();
  });

  it("is made again if the object had to wait", () => {
    const waited = { state: emptyState, nameListedAt: 84_999 };
    expect(created(waited)).toEqual({ ...list, startedAfter: 85_000 });
    expect(created({ ...waited, nameListedAt: 85_000 })).toBeUndefined();
  });

  it("is not made in a group that this process created within the settle time", () => {
    expect(created({ nameListedAt: null, parentCreatedAt: 85_001 })).toBeUndefined();
    expect(created({ nameListedAt: null, parentCreatedAt: 85_000 })).toEqual(list);
  });
});
