import { describe, expect, it } from "vitest";
import type { ReconcileState } from "#src/reconcile/observe/observed.ts";
import { conclude, maxStatusDelayMs, recordNow, statusDelayAmidDeletions, statusDelayMs } from "./conclude.ts";
import { decide } from "./decide.ts";
import { emptyState, groupResource, notReady, decisionInput, parent, ready, uid } from "./observed-fixture.testing.ts";
import { stalled, waiting } from "./outcome.ts";
import { refusalOf } from "./refusal.ts";
import type { Step } from "./step.ts";

const now = 20_000;
const hour = 3_600_000;

describe("a wait", () => {
  it.each<[string, Partial<ReconcileState>, number | undefined, Step["do"], number | undefined]>([
    ["is not reported before it has lasted 2 s", {}, undefined, "wait", now + statusDelayMs],
    ["is not reported after a second", { waitingSince: now - 1_000 }, undefined, "wait", now + 1_000],
    ["is not reported if it ends earlier", {}, now + 500, "wait", now + 500],
    ["is reported after 2 s", { waitingSince: now - statusDelayMs }, undefined, "writeStatus", undefined],
  ])("%s", (_, state, until, step, at) => {
    const given = decisionInput({ state: { ...emptyState, ...state } });
    const concluded = conclude(given, waiting("ChildrenExist", "why"), until);
    expect(concluded.do).toBe(step);
    if (concluded.do === "wait") expect(concluded.until).toBe(at);
  });

  it("records what this process created", () => {
    const created = { uid, parentUid: parent, management: "Created" } as const;
    const posted = { naturalKey: "key", created };
    const given = decisionInput({ state: { ...emptyState, waitingSince: 0, posted } });
    expect(conclude(given, waiting("ChildrenExist", "why"))).toMatchObject({ patch: created });
  });

  const first = decisionInput({ state: { ...emptyState, waitingSince: 0 } });
  const written = conclude(first, waiting("ChildrenExist", "five children"));
  const status = written.do === "writeStatus" ? { observedGeneration: 1, ...written.patch } : undefined;
  const resource = groupResource({ status: status as never });

  it("is reported once", () => {
    expect(conclude({ ...first, resource }, waiting("ChildrenExist", "five children"))).toEqual({
      do: "wait",
      until: now + hour,
    });
  });

  it("is rewritten at most once a minute if only its message changes", () => {
    const reported = { ...first, resource, state: { ...first.state, statusWrittenAt: now - 10_000 } };
    const fewer = waiting("ChildrenExist", "four children");
    expect(conclude(reported, fewer)).toEqual({ do: "wait", until: now + 50_000 });
    expect(conclude({ ...reported, now: now + 50_000 }, fewer)).toMatchObject({ do: "writeStatus" });
  });

  it("is rewritten at once if its reason changes", () => {
    const reported = { ...first, resource, state: { ...first.state, statusWrittenAt: now } };
    expect(conclude(reported, waiting("PlatformUnavailable", "away"))).toMatchObject({ do: "writeStatus" });
  });
});

describe("a stalled object", () => {
  it("is reported at once and checked again after an hour", () => {
    const given = decisionInput();
    const step = conclude(given, stalled("Conflict", "why"));
    if (step.do !== "writeStatus") throw new Error("the status was not written");
    const resource = groupResource({ status: { observedGeneration: 1, ...step.patch } as never });
    expect(conclude({ ...given, resource }, stalled("Conflict", "why"))).toEqual({ do: "wait", until: now + hour });
  });
});

it("what the status records already is not written again, and looked at an hour later", () => {
  const given = decisionInput();
  const step = recordNow(given, stalled("Conflict", "why"));
  if (step.do !== "writeStatus") throw new Error("the status was not written");
  const resource = groupResource({ status: { observedGeneration: 1, ...step.patch } as never });
  expect(recordNow({ ...given, resource }, stalled("Conflict", "why"))).toEqual({ do: "wait", until: now + hour });
});

describe("a status write that Kubernetes refuses", () => {
  const given = decisionInput();
  const refusal = refusalOf(given, "writeStatus", { code: 403, message: "patch groups/status: forbidden" }, now, 0);
  const refused = { ...given, state: { ...emptyState, refusals: { writeStatus: refusal } } };

  it("is made again after its delay", () => {
    expect(conclude(refused, stalled("Conflict", "why"))).toEqual({ do: "wait", until: refusal.retryAt });
    expect(conclude({ ...refused, now: refusal.retryAt }, stalled("Conflict", "why")).do).toBe("writeStatus");
  });

  it("does not delay what is due earlier", () => {
    expect(conclude(refused, stalled("Conflict", "why"), now + 10)).toEqual({ do: "wait", until: now + 10 });
  });

  it("does not delay the status of a new generation", () => {
    const resource = groupResource({ metadata: { generation: 2 } });
    expect(conclude({ ...refused, resource }, stalled("Conflict", "why")).do).toBe("writeStatus");
  });
});

describe("the events of transitions", () => {
  const outcome = { is: "ready", recorded: { uid, parentUid: parent, management: "Created" } } as const;
  it.each<[string, object, object | undefined]>([
    ["there is none for the first Ready: Created reports it", {}, undefined],
    ["there is none for a Ready after the first wait", { status: notReady("ReferenceNotFound") }, undefined],
    ["Ready after a problem is Recovered", { status: notReady("Conflict", { uid }) }, { reason: "Recovered" }],
  ])("%s", (_, parts, event) => {
    const step = conclude(decisionInput({ resource: groupResource(parts) }), outcome);
    expect(step).toMatchObject({ do: "writeStatus" });
    expect(step.do === "writeStatus" ? step.events?.[0] : undefined).toEqual(
      event === undefined ? undefined : expect.objectContaining(event),
    );
  });
});

describe("the status delay of an object that waits for the deletion of another", () => {
  const waitingSince = 10_000;
  const delay = (lastDeletionAt: number | null) =>
    statusDelayAmidDeletions(decisionInput({ state: { ...emptyState, waitingSince }, lastDeletionAt, now: 20_000 }));

  it("is the default if no other deletion was seen", () => {
    expect(delay(null)).toBe(statusDelayMs);
    expect(delay(waitingSince)).toBe(statusDelayMs);
  });

  it("ends once no deletion has arrived for 2 s", () => {
    expect(delay(19_000)).toBe(19_000 + statusDelayMs - waitingSince);
  });

  it("is bounded if deletions keep arriving", () => {
    expect(delay(200_000)).toBe(maxStatusDelayMs);
  });

  it("applies to a child whose parent is being deleted: the child may be the next", () => {
    const given = decisionInput({
      resource: groupResource({ status: ready }),
      references: { are: "waiting", reason: "ReferenceNotReady", message: "It is being deleted.", deleting: true },
      state: { ...emptyState, waitingSince },
      lastDeletionAt: 19_000,
      now: 20_000,
    });
    expect(decide(given, given.kind).step).toEqual({ do: "wait", until: 19_000 + statusDelayMs });
    expect(decide({ ...given, now: 19_000 + statusDelayMs }, given.kind).step).toMatchObject({ do: "writeStatus" });
  });
});
