import { describe, expect, it } from "vitest";
import { type Status, statusBounds, statusSchema } from "#src/api/status.ts";
import { mergePatch } from "#src/kube/merge-patch.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import { groupResource, memory, notReady, observed, parent, ready, refusal, uid } from "./observed-fixture.testing.ts";
import type { Outcome } from "./outcome.ts";
import { onlyRephrases, statusPatch } from "./status.ts";

const readyOutlook: Outcome = { is: "ready", uid, parentUid: parent };
const now = "2026-02-02T02:02:02Z";

function after(before: Status | undefined, outlook: Outcome, parts: Partial<Observed> = {}): Status | undefined {
  const resource = groupResource(before === undefined ? {} : { status: before });
  const patch = statusPatch(observed({ resource, ...parts }), outlook);
  return patch === undefined ? undefined : (mergePatch(before ?? {}, patch) as Status);
}

/** `Ready=True/Available` and so on, of the status that is written. */
function told(status: Status | undefined): string[] {
  return (status?.conditions ?? []).map(({ type, status: truth, reason }) => `${type}=${truth}/${reason}`);
}

const trouble = (is: "stalled" | "waiting" | "failing", more: object = {}): Outcome => ({
  is,
  reason: "PreconditionFailed",
  message: "why, and the mend.",
  ...more,
});

describe("conditions", () => {
  it.each<[string, Outcome, string[]]>([
    ["Ready is the summary", readyOutlook, ["Ready=True/Available", "ReferencesResolved=True/Available"]],
    [
      "Stalled is there while it is True",
      trouble("stalled"),
      ["Ready=False/PreconditionFailed", "Stalled=True/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    [
      "Reconciling is there while it is True",
      trouble("waiting"),
      ["Ready=False/PreconditionFailed", "Reconciling=True/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    [
      "what somebody has to mend is neither",
      trouble("failing"),
      ["Ready=False/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    ["a pause is no verdict", { is: "paused" }, ["Ready=Unknown/Paused", "ReferencesResolved=True/Available"]],
  ])("%s", (_, outlook, conditions) => {
    expect(told(after(undefined, outlook))).toEqual(conditions);
  });

  it("all carry observedGeneration", () => {
    const status = after(undefined, trouble("stalled"));
    expect(status?.observedGeneration).toBe(1);
    expect(status?.conditions?.map((condition) => condition.observedGeneration)).toEqual([1, 1, 1]);
  });

  it.each<[Observed["references"], string]>([
    [{ are: "unread" }, "ReferencesResolved=Unknown/PlatformUnavailable"],
    [{ are: "denied", message: "no" }, "ReferencesResolved=False/TenantDenied"],
    [{ are: "waiting", reason: "ReferenceNotReady", message: "soon" }, "ReferencesResolved=False/ReferenceNotReady"],
  ])("ReferencesResolved tells what they come to: %j", (references, condition) => {
    expect(told(after(undefined, trouble("waiting"), { references }))).toContain(condition);
  });
});

describe("written only when something changed in meaning", () => {
  it("what it says already is not said again", () => {
    expect(after(ready, readyOutlook)).toBeUndefined();
  });

  it("not for the time alone, of an error that is the same", () => {
    const outlook = trouble("stalled", { error: refusal("FAILED_PRECONDITION") });
    const before = after(undefined, outlook);
    expect(after(before, outlook, { wallClock: new Date("2027-01-01T00:00:00Z") })).toBeUndefined();
  });

  it("lastTransitionTime moves with the condition's status alone", () => {
    const before = notReady("Conflict", { stalled: true });
    const times = (status: Status | undefined) => status?.conditions?.map((one) => one.lastTransitionTime);
    expect(times(after(before, trouble("stalled")))).toEqual(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", now]);
    expect(times(after(before, readyOutlook))).toEqual([now, now]);
  });

  it("lastSyncTime moves along with something else", () => {
    expect(after(undefined, readyOutlook)?.lastSyncTime).toBe(now);
    expect(after(ready, readyOutlook, { request: { value: "x", seenAt: 1 } })?.lastSyncTime).toBe(now);
  });

  it("a wish for a reconcile is answered by an outcome, not by a call that is tried again", () => {
    const request = { value: "now", seenAt: 1 };
    const failure = {
      step: "read",
      problem: { kind: "paused", retryAfterMs: 1 },
      attemptOf: "",
      attempts: 1,
      at: 1,
      retryAt: 2,
    };
    const failed = { request, state: { ...memory, failure } as ReconcileState };
    expect(after(undefined, trouble("failing"), failed)?.lastHandledReconcileAt).toBeUndefined();
    expect(after(undefined, trouble("stalled"), failed)?.lastHandledReconcileAt).toBe("now");
    expect(after(undefined, trouble("failing"), { request })?.lastHandledReconcileAt).toBe("now");
    expect(after(undefined, { is: "paused" }, { request })?.lastHandledReconcileAt).toBeUndefined();
  });

  it.each<[string, Outcome, Outcome, boolean]>([
    ["other children", trouble("waiting"), trouble("waiting", { message: "others" }), true],
    ["another reason", trouble("waiting"), trouble("waiting", { reason: "ChildrenExist" }), false],
    ["another state", trouble("waiting"), trouble("stalled"), false],
    [
      "a request id in the platform's message",
      trouble("waiting", { error: refusal("INTERNAL", { message: "id 1" }) }),
      trouble("waiting", { error: refusal("INTERNAL", { message: "id 2" }) }),
      true,
    ],
    [
      "another code",
      trouble("waiting", { error: refusal("INTERNAL") }),
      trouble("waiting", { error: refusal("UNAVAILABLE") }),
      false,
    ],
    ["an error less", trouble("waiting", { error: refusal("INTERNAL") }), trouble("waiting"), false],
  ])("other words are told from another meaning: %s", (_, first, second, rephrases) => {
    const before = after(undefined, first);
    const resource = groupResource(before === undefined ? {} : { status: before });
    const patch = statusPatch(observed({ resource }), second);
    expect(patch !== undefined && onlyRephrases(before, patch)).toBe(rephrases);
  });
});

describe("status.error is the platform's AIP-193 error, as data", () => {
  const violations = refusal("INVALID_ARGUMENT", {
    fieldViolations: [{ field: "name", description: "must match" }],
    preconditionViolations: [{ type: "T", description: "d", subject: "s" }],
  });

  it("with code, reason, domain, message, violations and time", () => {
    expect(after(undefined, trouble("stalled", { error: violations }))?.error).toEqual({
      code: "INVALID_ARGUMENT",
      reason: "INVALID_ARGUMENT",
      domain: "iam.example.dev",
      message: "refused with INVALID_ARGUMENT",
      fieldViolations: [{ field: "name", description: "must match" }],
      preconditionViolations: [{ type: "T", description: "d", subject: "s" }],
      time: now,
    });
  });

  it("goes when the last answer was good", () => {
    const before = after(undefined, trouble("stalled", { error: violations }));
    expect(after(before, readyOutlook)).not.toHaveProperty("error");
  });

  it("is replaced whole by another, and then stays as it is", () => {
    const before = after(undefined, trouble("stalled", { error: violations }));
    const other = trouble("waiting", { error: refusal("UNAVAILABLE", { reason: "", domain: "" }) });
    const status = after(before, other);
    expect(status?.error).toEqual({ code: "UNAVAILABLE", message: "refused with UNAVAILABLE", time: now });
    expect(after(status, other)).toBeUndefined();
  });

  it("shows no token", () => {
    const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
    const outlook = trouble("stalled", {
      message: `refused ${token}`,
      error: refusal("UNAUTHENTICATED", {
        message: `bad ${token}`,
        fieldViolations: [{ field: "token", description: token }],
      }),
    });
    expect(JSON.stringify(after(undefined, outlook))).not.toContain("eyJ");
  });
});

describe("what the API server would refuse is cut", () => {
  const long = "x".repeat(70_000);
  const outlook = trouble("stalled", {
    message: long,
    drift: Array.from({ length: 70 }, () => ({ field: "staticKeys", expected: long, actual: long })),
    error: refusal("INVALID_ARGUMENT", {
      message: long,
      fieldViolations: Array.from({ length: 70 }, () => ({ field: long, description: long })),
    }),
  });

  it("to the bounds of its schema", () => {
    const status = after(undefined, outlook);
    expect(status?.drift).toHaveLength(statusBounds.items);
    expect(statusSchema.safeParse(status).error?.issues ?? []).toEqual([]);
  });
});

it("removes the drift that is over", () => {
  const drift = [{ field: "name", expected: "a", actual: "b" }];
  const before = after(undefined, trouble("failing", { drift }));
  expect(before?.drift).toEqual(drift);
  expect(after(before, readyOutlook)).not.toHaveProperty("drift");
});
