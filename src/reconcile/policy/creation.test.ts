import { describe } from "vitest";
import { becomesReady, isReady, judge, long, stalls, tells } from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import {
  anotherUid,
  earlierMarker,
  groupResource,
  groupRow,
  marker,
  memory,
  parent,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";

describe("creating", () => {
  judge([
    {
      name: "the finalizer stands before anything exists outside",
      given: { resource: groupResource({ metadata: { finalizers: [] } }) },
      expected: { do: "addFinalizer" },
    },
    {
      name: "what is looked up is not there: it is made, with the marker at the end of its description",
      given: { references: resolved({ name: "payments", description: "the shop's" }) },
      expected: {
        do: "create",
        parent,
        body: { name: "payments", description: withMarker("the shop's", marker) },
        event: { reason: "Created" },
      },
    },
    {
      name: "a parent that nobody has listed is listed first",
      given: { snapshot: undefined },
      expected: { do: "list", parent, startedAfter: 10, stable: false },
    },
    {
      name: "a snapshot from before this process took the lead proves nothing",
      given: { snapshot: { startedAt: 9, stable: true } },
      expected: { do: "list", startedAfter: 10 },
    },
    {
      name: "for an object without uid, absence is believed only after the settle time of a new lead",
      given: { settledAt: 30_000 },
      expected: { do: "wait" },
    },
    {
      name: "where adoption is IfExists, the snapshot begins after the object was first seen",
      given: {
        resource: groupResource({ spec: { policy: { adoption: "IfExists" } } }),
        state: { ...memory, firstSeenAt: 51 },
      },
      expected: { do: "list", startedAfter: 51 },
    },
    {
      name: "after a POST of unknown outcome nothing is believed before the settle time",
      given: { postUnknownSince: 19_000, state: long },
      expected: tells("Creating", "can no longer take effect"),
    },
    {
      name: "after it, only a list that is begun later and that nothing disturbed",
      given: { postUnknownSince: 1_000 },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "a list during which the total changed is repeated",
      given: { postUnknownSince: 1_000, snapshot: { startedAt: 17_000, stable: false } },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "a stable list after the settle time proves it: it is made again",
      given: { postUnknownSince: 1_000, snapshot: { startedAt: 17_000, stable: true } },
      expected: { do: "create" },
    },
    {
      name: "a group that this process has just created has no children but what this process made",
      given: { parentIsFresh: true, snapshot: undefined },
      expected: { do: "create" },
    },
    {
      name: "unless a POST there had an unknown outcome",
      given: { parentIsFresh: true, snapshot: undefined, postUnknownSince: 1_000 },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "after a crash the thing is found by its marker, and its uid is taken",
      given: { matches: [groupRow()] },
      expected: becomesReady,
    },
    {
      name: "what an earlier owner marked is ours",
      given: { matches: [groupRow({ description: withMarker("", earlierMarker) })] },
      expected: becomesReady,
    },
    {
      name: "the finalizer stands before a thing is taken over, too",
      given: { resource: groupResource({ metadata: { finalizers: [] } }), matches: [groupRow()] },
      expected: { do: "addFinalizer" },
    },
  ]);
});

describe("gone from the platform", () => {
  judge([
    {
      name: "is made anew",
      given: { resource: isReady, external: { is: "gone" } },
      expected: { do: "create", parent },
    },
    {
      name: "is reported, where drift is Report",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone" },
        state: long,
      },
      expected: tells("ExternalGone", "not made anew"),
    },
    {
      name: "is not made anew where spec.uid named it",
      given: { resource: groupResource({ spec: { uid }, status: ready }), external: { is: "gone" } },
      expected: stalls("ExternalGone", "leave spec.uid out"),
    },
    {
      name: "meets the same conflicts as what is made for the first time",
      given: {
        resource: isReady,
        external: { is: "gone" },
        nameConflicts: [{ row: groupRow({ uid: anotherUid, description: "" }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", anotherUid),
    },
    {
      name: "together with many others: nothing is made anew until a person agrees",
      given: { resource: isReady, external: { is: "gone" }, heldByBreaker: true, state: long },
      expected: tells("ExternalGone", "reconcile-requested-at"),
    },
    {
      name: "together with many others: it is not even read one by one",
      given: { resource: isReady, external: { is: "stale" }, heldByBreaker: true, state: long },
      expected: tells("ExternalGone", "reconcile-requested-at"),
    },
    {
      name: "together with many others, and a person agrees",
      given: {
        resource: isReady,
        external: { is: "gone" },
        heldByBreaker: true,
        request: { value: "yes", seenAt: 100 },
      },
      expected: { do: "create" },
    },
  ]);
});
