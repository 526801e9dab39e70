import { describe, expect } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import { becomesReady, itDecides, present, readyGroup, reports, waitingLong } from "./decision-cases.testing.ts";
import {
  anotherUid,
  earlierMarker,
  emptyState,
  externalGroup,
  groupResource,
  parent,
  platformError,
} from "./observed-fixture.testing.ts";

describe("before a creation", () => {
  itDecides([
    {
      name: "lists a parent that was never listed",
      given: { snapshot: null },
      expected: { do: "list", parent, startedAfter: 10, stable: false },
    },
    {
      name: "does not accept a list that started before this process became leader",
      given: { snapshot: { startedAt: 9, stable: true } },
      expected: { do: "list", startedAfter: 10 },
    },
    {
      name: "waits for the settle time of a new leader",
      given: { settledAt: 30_000 },
      expected: { do: "wait" },
    },
    {
      name: "if adoption is IfExists, needs a list that started after the object was first seen",
      given: {
        resource: groupResource({ spec: { policy: { adoption: "IfExists" } } }),
        state: { ...emptyState, specSeenAt: 51 },
      },
      expected: { do: "list", startedAfter: 51 },
    },
    {
      name: "after a POST with an unknown outcome, waits for the settle time",
      given: { postUnknownSince: 19_000, state: waitingLong },
      expected: reports("Creating", "can no longer take effect"),
    },
    {
      name: "says with which error of the platform the POST ended",
      given: {
        postUnknownSince: 19_000,
        state: {
          ...waitingLong,
          failure: {
            step: "create",
            problem: { kind: "rejected", error: platformError("INTERNAL") },
            attemptOf: "",
            attempts: 1,
            at: 19_000,
            retryAt: 19_500,
          },
        },
      },
      expected: reports("PlatformUnavailable", "rejected with INTERNAL", {
        error: expect.objectContaining({ code: "INTERNAL", message: "rejected with INTERNAL" }),
      }),
    },
    {
      name: "after the settle time, needs a list that started later and was stable",
      given: { postUnknownSince: 1_000 },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "repeats a list during which the total count changed",
      given: { postUnknownSince: 1_000, snapshot: { startedAt: 17_000, stable: false } },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "accepts a stable list that started after the settle time",
      given: { postUnknownSince: 1_000, snapshot: { startedAt: 17_000, stable: true } },
      expected: { do: "create" },
    },
    {
      name: "needs no list of a group that this process created a moment ago",
      given: { parentCreatedAt: 10_000, snapshot: null },
      expected: { do: "create" },
    },
    {
      name: "needs a list of a new group, too, if a POST there had an unknown outcome",
      given: { parentCreatedAt: 10_000, snapshot: null, postUnknownSince: 1_000 },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "needs a list that started after another session created such a resource",
      given: { createdElsewhereAt: 51 },
      expected: { do: "list", parent, startedAfter: 51, stable: false },
    },
    {
      name: "accepts a list that started when another session had created such a resource, which is gone",
      given: { createdElsewhereAt: 50, snapshot: { startedAt: 50, stable: false } },
      expected: { do: "create" },
    },
    {
      name: "needs a list of a new group, too, if another session created such a resource there",
      given: { parentCreatedAt: 10_000, snapshot: null, createdElsewhereAt: 51 },
      expected: { do: "list", startedAfter: 51, stable: false },
    },
    {
      name: "after a POST with an unknown outcome, waits for the settle time although another session created something",
      given: { postUnknownSince: 1_000, createdElsewhereAt: 1_001 },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    {
      name: "finds the resource by its marker after a crash and records its uid",
      given: { matches: [externalGroup()] },
      expected: becomesReady,
    },
    {
      name: "finds the resource by the marker of a previous owner id",
      given: { matches: [externalGroup({ description: withMarker("", earlierMarker) })] },
      expected: becomesReady,
    },
  ]);
});

describe("two resources with our marker", () => {
  const copy = externalGroup({ uid: anotherUid });
  const two = { resource: readyGroup, external: present(externalGroup()), matches: [externalGroup(), copy] };
  itDecides([
    {
      name: "deletes the second if a POST of this process with a lost response created it",
      given: { ...two, createdHere: [anotherUid] },
      expected: { do: "delete", uid: anotherUid },
    },
    {
      name: "reads the second before that if it was not read a moment ago",
      given: { ...two, createdHere: [anotherUid], readTimes: [] },
      expected: { do: "read", uid: anotherUid },
    },
    {
      name: "keeps the recorded one and stays Ready if this process created neither: the copy is an orphan",
      given: two,
      expected: { do: "done" },
    },
  ]);
});
