import { describe, expect, it } from "vitest";
import { attempt, attemptOf, conclude, stalled, waiting } from "./conclude.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import {
  groupResource,
  groupRow,
  memory,
  notReady,
  observed,
  parent,
  ready,
  refusal,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";
import type { PlatformStep, Step } from "./step.ts";
import { statusDelayMs } from "./status-delay.ts";

const now = 20_000;
const hour = 3_600_000;

describe("a wait", () => {
  it.each<[string, Partial<ReconcileState>, number | undefined, Step["do"], number | undefined]>([
    ["that begins is kept for 2 s", {}, undefined, "wait", now + statusDelayMs],
    ["that began a second ago is kept for one more", { waitingSince: now - 1_000 }, undefined, "wait", now + 1_000],
    ["that ends before is kept until then", {}, now + 500, "wait", now + 500],
    ["that has lasted 2 s is shown", { waitingSince: now - statusDelayMs }, undefined, "writeStatus", undefined],
  ])("%s", (_, remembered, until, step, at) => {
    const given = observed({ state: { ...memory, ...remembered } });
    const concluded = conclude(given, waiting("ChildrenExist", "why"), until);
    expect(concluded.do).toBe(step);
    if (concluded.do === "wait") expect(concluded.until).toBe(at);
  });

  const shown = observed({ state: { ...memory, waitingSince: 0 } });
  const first = conclude(shown, waiting("ChildrenExist", "five children"));
  const status = first.do === "writeStatus" ? { observedGeneration: 1, ...first.patch } : undefined;
  const resource = groupResource({ status: status as never });

  it("that is shown is not shown again", () => {
    expect(conclude({ ...shown, resource }, waiting("ChildrenExist", "five children"))).toEqual({
      do: "wait",
      until: now + hour,
    });
  });

  it("for one child less is told in a minute, not with each child", () => {
    const told = { ...shown, resource, state: { ...shown.state, statusWrittenAt: now - 10_000 } };
    expect(conclude(told, waiting("ChildrenExist", "four children"))).toEqual({ do: "wait", until: now + 50_000 });
    expect(conclude({ ...told, now: now + 50_000 }, waiting("ChildrenExist", "four children"))).toMatchObject({
      do: "writeStatus",
    });
  });

  it("for something else is told at once", () => {
    const told = { ...shown, resource, state: { ...shown.state, statusWrittenAt: now } };
    expect(conclude(told, waiting("PlatformUnavailable", "away"))).toMatchObject({ do: "writeStatus" });
  });
});

it("what is stalled is shown at once, and looked at again in an hour", () => {
  expect(conclude(observed(), stalled("Conflict", "why"))).toMatchObject({ do: "writeStatus" });
  const given = observed();
  const step = conclude(given, stalled("Conflict", "why"));
  if (step.do !== "writeStatus") throw new Error("not written");
  const resource = groupResource({ status: { observedGeneration: 1, ...step.patch } as never });
  expect(conclude({ ...given, resource }, stalled("Conflict", "why"))).toEqual({ do: "wait", until: now + hour });
});

describe("events tell transitions", () => {
  const outlook = { is: "ready", uid, parentUid: parent } as const;
  it.each<[string, object, object | undefined]>([
    ["Ready for the first time is told by Created alone", {}, undefined],
    ["Ready after a first wait, too", { status: notReady("ReferenceNotFound") }, undefined],
    ["Ready again after a trouble is Recovered", { status: notReady("Conflict", { uid }) }, { reason: "Recovered" }],
  ])("%s", (_, parts, event) => {
    const step = conclude(
      observed({ resource: groupResource(parts), external: { is: "present", row: groupRow(), seenAt: 1 } }),
      outlook,
    );
    expect(step).toMatchObject({ do: "writeStatus" });
    expect("event" in step ? step.event : undefined).toEqual(
      event === undefined ? undefined : expect.objectContaining(event),
    );
  });
});

describe("an attempt", () => {
  const create: PlatformStep = {
    do: "create",
    parent,
    body: {},
    event: { type: "Normal", reason: "Created", note: "" },
  };
  const failure = {
    step: "create",
    problem: { kind: "refused", error: refusal("INTERNAL") },
    attemptOf: attemptOf(observed()),
    attempts: 1,
    at: 19_000,
    retryAt: 30_000,
  } as const;
  const given = observed({ state: { ...memory, waitingSince: 0, failure } });

  it.each([
    ["waits for its time", given, "writeStatus"],
    ["is made when its time has come", { ...given, now: 30_000 }, "create"],
    [
      "of another step is made",
      { ...given, state: { ...given.state, failure: { ...failure, step: "read" } } },
      "create",
    ],
    ["for another spec is made", { ...given, resource: groupResource({ metadata: { generation: 2 } }) }, "create"],
    ["under another token is made", { ...given, credentialEpoch: 2 }, "create"],
    ["that a person asks for is made", { ...given, request: { value: "now", seenAt: 1 } }, "create"],
    [
      "for another parent is made",
      { ...given, references: { ...resolved(), uids: { parent: `${parent}/4444444444444444` } } },
      "create",
    ],
  ] as const)("%s", (_, world, step) => {
    expect(attempt(world, create).do).toBe(step);
  });

  it("to look only, at what was Ready, leaves its status alone", () => {
    const reading = { ...failure, step: "read" } as const;
    const world = observed({
      resource: groupResource({ status: ready }),
      state: { ...memory, waitingSince: 0, failure: reading },
    });
    const failed = { ...world, state: { ...world.state, failure: { ...reading, attemptOf: attemptOf(world) } } };
    expect(attempt(failed, { do: "read", uid })).toEqual({ do: "wait", until: 30_000 });
  });
});
