import { describe, expect, it } from "vitest";
import { minutes } from "#src/time/durations.ts";
import { present, reports, stepFor } from "./decision-cases.testing.ts";
import { deletedGroup, deletionSeen, existing, itDecidesDeletion } from "./ending-cases.testing.ts";
import {
  anotherUid,
  emptyState,
  externalGroup,
  type ObservedParts,
  parent,
  ready,
  uid,
} from "./observed-fixture.testing.ts";

/** A resource whose identities were listed at `startedAt`, and whose deletion was seen at 18,000. */
const listed = (startedAt: number | null, uids: readonly string[] = [], more: ObservedParts = {}): ObservedParts => ({
  ...existing,
  people: { group: parent, snapshot: startedAt === null ? null : { startedAt, stable: true }, uids },
  ...more,
});
const lists = (startedAfter: number) => ({ do: "list", kind: "Identity", parent, startedAfter, stable: false });
const deletes = { do: "delete", uid };
/** Ten minutes later, when all else was read a moment ago. */
const later = (now = minutes(10)): ObservedParts => ({ now, external: present(externalGroup(), now - 1) });

describe("a resource that lets people in", () => {
  itDecidesDeletion([
    { name: "stays until their identities were listed", given: listed(null), expected: lists(18_000) },
    { name: "stays until they were listed after its deletion", given: listed(17_999), expected: lists(18_000) },
    { name: "goes if there is none", given: listed(18_000), expected: deletes },
    {
      name: "stays until they were listed after the object was first seen, if that is later",
      given: listed(18_999, [], { state: { ...emptyState, firstSeenAt: 19_000 } }),
      expected: lists(19_000),
    },
    {
      name: "stays until they were listed a minute ago at most",
      given: listed(minutes(9) - 1, [], later()),
      expected: lists(minutes(9)),
    },
    { name: "goes if they were listed a minute ago", given: listed(minutes(9), [], later()), expected: deletes },
    {
      name: "stays while there is one",
      given: listed(19_000, [anotherUid]),
      expected: { do: "wait", until: 22_000 },
    },
    {
      name: "stays while there is one, which is reported if it lasts",
      given: listed(19_000, [anotherUid], { state: { ...deletionSeen, waitingSince: 18_000 } }),
      expected: reports("ChildrenExist", `People logged in by means of the group: identities ${anotherUid}`),
    },
  ]);
});

it("is looked at again after a minute once that is reported", () => {
  const given = listed(19_000, [anotherUid], { state: { ...deletionSeen, waitingSince: 0 } });
  const step = stepFor(given);
  if (step.do !== "writeStatus") throw new Error("nothing is reported");
  const status = { ...ready, ...step.patch } as typeof ready;
  expect(stepFor({ ...given, resource: deletedGroup({ status }) })).toEqual({ do: "wait", until: 80_000 });
});
