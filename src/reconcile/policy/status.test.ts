import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { type Status, statusBounds, statusSchema } from "#src/api/status.ts";
import { mergePatch } from "#src/kube/merge-patch.ts";
import type { Recorded, ReconcileState, References } from "#src/reconcile/observe/observed.ts";
import {
  anotherUid,
  emptyState,
  groupResource,
  notReady,
  decisionInput,
  type ObservedParts,
  parent,
  platformError,
  ready,
  uid,
} from "./observed-fixture.testing.ts";
import type { Outcome } from "./outcome.ts";
import { onlyRephrases, statusPatch } from "./status.ts";

const readyOutcome: Outcome = { is: "ready", recorded: { uid, parentUid: parent, management: "Created" } };
const now = "2026-02-02T02:02:02Z";

function after(before: Status | undefined, outcome: Outcome, parts: ObservedParts = {}): Status | undefined {
  const resource = groupResource(before === undefined ? {} : { status: before });
  const patch = statusPatch(decisionInput({ resource, ...parts }), outcome);
  return patch === undefined ? undefined : (mergePatch(before ?? {}, patch) as Status);
}

/** The conditions of a status as `Ready=True/Available`. */
function conditionsOf(status: Status | undefined): string[] {
  return (status?.conditions ?? []).map(({ type, status: truth, reason }) => `${type}=${truth}/${reason}`);
}

const problem = (is: "stalled" | "waiting" | "failing", more: object = {}): Outcome => ({
  is,
  reason: "PreconditionFailed",
  message: "what is wrong, and how to fix it.",
  ...more,
});

describe("conditions", () => {
  it.each<[string, Outcome, string[]]>([
    ["Ready is the summary", readyOutcome, ["Ready=True/Available", "ReferencesResolved=True/Available"]],
    [
      "Stalled is present while it is True",
      problem("stalled"),
      ["Ready=False/PreconditionFailed", "Stalled=True/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    [
      "Reconciling is present while it is True",
      problem("waiting"),
      ["Ready=False/PreconditionFailed", "Reconciling=True/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    [
      "a failing object has neither",
      problem("failing"),
      ["Ready=False/PreconditionFailed", "ReferencesResolved=True/Available"],
    ],
    ["Ready is Unknown while paused", { is: "paused" }, ["Ready=Unknown/Paused", "ReferencesResolved=True/Available"]],
  ])("%s", (_, outcome, conditions) => {
    expect(conditionsOf(after(undefined, outcome))).toEqual(conditions);
  });

  it("all carry observedGeneration", () => {
    const status = after(undefined, problem("stalled"));
    expect(status?.observedGeneration).toBe(1);
    expect(status?.conditions?.map((condition) => condition.observedGeneration)).toEqual([1, 1, 1]);
  });

  it.each<[References, string]>([
    [{ are: "unread" }, "ReferencesResolved=Unknown/PlatformUnavailable"],
    [{ are: "denied", message: "no" }, "ReferencesResolved=False/TenantDenied"],
    [{ are: "waiting", reason: "ReferenceNotReady", message: "soon" }, "ReferencesResolved=False/ReferenceNotReady"],
  ])("ReferencesResolved reports the result: %j", (references, condition) => {
    expect(conditionsOf(after(undefined, problem("waiting"), { references }))).toContain(condition);
  });

  it("ReferencesResolved keeps what was reported for this spec while the roles are not read", () => {
    const before = after(undefined, problem("waiting"), { references: { are: "denied", message: "no" } });
    const reported = before?.conditions?.at(-1);
    const unread = { references: { are: "unread" } } as const;
    expect(after(before, problem("stalled"), unread)?.conditions).toContainEqual(reported);
    const edited = groupResource({ status: before as Status, metadata: { generation: 2 } });
    expect(conditionsOf(after(before, problem("stalled"), { ...unread, resource: edited }))).toContain(
      "ReferencesResolved=Unknown/PlatformUnavailable",
    );
  });
});

describe("AccessDeclared", () => {
  const declared = { type: "AccessDeclared", status: "True", reason: "Available" } as const;
  const condition = { ...declared, message: "", observedGeneration: 1, lastTransitionTime: now };
  const before = { ...ready, conditions: [...(ready.conditions ?? []), condition] };
  const counts = { RoleBinding: 2 };
  const assessed = { is: "assessed", counts, first: [], spared: null, confirmId: null, removal: null } as const;
  const access = (parts: ObservedParts) =>
    conditionsOf(after(before, problem("stalled"), parts)).filter((one) => one.startsWith("AccessDeclared"));

  it.each<[string, ObservedParts, string[]]>([
    ["is kept until the group is assessed", { undeclared: null }, ["AccessDeclared=True/Available"]],
    ["is replaced by what was found", { undeclared: assessed }, ["AccessDeclared=False/UndeclaredAccess"]],
    ["is removed where it is not reported", { undeclared: { is: "unreported" } }, []],
  ])("%s", (_, parts, expected) => {
    expect(access(parts)).toEqual(expected);
  });
});

describe("a request for a reconcile", () => {
  const request = { value: "now", seenAt: 1 };
  const refusal = { code: 403, message: "no", attemptOf: "", attempts: 1, retryAt: 2 };
  const handled = (parts: ObservedParts) =>
    after(undefined, problem("failing"), { request, ...parts })?.lastHandledReconcileAt === "now";

  it("is not handled while Kubernetes refuses a step, unless that is the write of the status", () => {
    expect(handled({ state: { ...emptyState, refusals: { readSecret: refusal } } })).toBe(false);
    expect(handled({ state: { ...emptyState, refusals: { writeStatus: refusal, readSecret: refusal } } })).toBe(false);
    expect(handled({ state: { ...emptyState, refusals: { writeStatus: refusal } } })).toBe(true);
    expect(handled({ state: { ...emptyState, refusals: {} } })).toBe(true);
  });

  it("is not handled while the object is paused, whatever is reported", () => {
    const paused = groupResource({ metadata: { annotations: { [pausedAnnotation]: "true" } } });
    expect(handled({ resource: paused })).toBe(false);
  });
});

describe("the Tenant that a status records with the resource", () => {
  const recorded = { uid, parentUid: parent, management: "Created" } as const;
  const ofPost = (created: Recorded) => ({ posted: { naturalKey: "", created, tenant: "before" } });
  it.each<[string, Partial<ReconcileState>, string | undefined]>([
    ["is that of the object", {}, "team"],
    ["is that of the POST that created it, if the namespace has another one by now", ofPost(recorded), "before"],
    ["is that of the object if the POST created another one", ofPost({ ...recorded, uid: anotherUid }), "team"],
  ])("%s", (_, state, tenant) => {
    const status = after(undefined, problem("failing", { recorded }), { state: { ...emptyState, ...state } });
    expect(status?.tenant).toBe(tenant);
  });
});

describe("a status", () => {
  it("is not written if it reports the outcome already", () => {
    expect(after(ready, readyOutcome)).toBeUndefined();
  });

  it("is not written for the time of an error alone", () => {
    const outcome = problem("stalled", { error: platformError("FAILED_PRECONDITION") });
    const before = after(undefined, outcome);
    expect(after(before, outcome, { wallClock: Date.parse("2027-01-01T00:00:00Z") })).toBeUndefined();
  });

  it("changes lastTransitionTime only together with the status of the condition", () => {
    const before = notReady("Conflict", { stalled: true });
    const times = (status: Status | undefined) => status?.conditions?.map((one) => one.lastTransitionTime);
    expect(times(after(before, problem("stalled")))).toEqual(["2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", now]);
    expect(times(after(before, readyOutcome))).toEqual([now, now]);
  });

  it("changes lastSyncTime only together with another field", () => {
    expect(after(undefined, readyOutcome)?.lastSyncTime).toBe(now);
    expect(after(ready, readyOutcome, { request: { value: "x", seenAt: 1 } })?.lastSyncTime).toBe(now);
  });

  it("acknowledges a request for a reconcile with an outcome, not while a call is being retried", () => {
    const request = { value: "now", seenAt: 1 };
    const failure = {
      step: "read",
      problem: { kind: "paused", retryAfterMs: 1 },
      attemptOf: "",
      attempts: 1,
      at: 1,
      retryAt: 2,
    };
    const failed = { request, state: { ...emptyState, failure } as ReconcileState };
    expect(after(undefined, problem("failing"), failed)?.lastHandledReconcileAt).toBeUndefined();
    expect(after(undefined, problem("stalled"), failed)?.lastHandledReconcileAt).toBe("now");
    expect(after(undefined, problem("failing"), { request })?.lastHandledReconcileAt).toBe("now");
    expect(after(undefined, { is: "paused" }, { request })?.lastHandledReconcileAt).toBeUndefined();
  });

  it.each<[string, Outcome, Outcome, boolean]>([
    ["other children", problem("waiting"), problem("waiting", { message: "others" }), true],
    ["another reason", problem("waiting"), problem("waiting", { reason: "ChildrenExist" }), false],
    ["another state", problem("waiting"), problem("stalled"), false],
    [
      "a request id in the platform's message",
      problem("waiting", { error: platformError("INTERNAL", { message: "id 1" }) }),
      problem("waiting", { error: platformError("INTERNAL", { message: "id 2" }) }),
      true,
    ],
    [
      "another code",
      problem("waiting", { error: platformError("INTERNAL") }),
      problem("waiting", { error: platformError("UNAVAILABLE") }),
      false,
    ],
    ["no error", problem("waiting", { error: platformError("INTERNAL") }), problem("waiting"), false],
  ])("distinguishes another message from another meaning: %s", (_, first, second, rephrases) => {
    const before = after(undefined, first);
    const resource = groupResource(before === undefined ? {} : { status: before });
    const patch = statusPatch(decisionInput({ resource }), second);
    expect(patch !== undefined && onlyRephrases(before, patch)).toBe(rephrases);
  });
});

describe("status.error", () => {
  const violations = platformError("INVALID_ARGUMENT", {
    fieldViolations: [{ field: "name", description: "must match" }],
    preconditionViolations: [{ type: "T", description: "d", subject: "s" }],
  });

  it("has the code, reason, domain, message, violations and time of the AIP-193 error", () => {
    expect(after(undefined, problem("stalled", { error: violations }))?.error).toEqual({
      code: "INVALID_ARGUMENT",
      reason: "INVALID_ARGUMENT",
      domain: "iam.example.dev",
      message: "rejected with INVALID_ARGUMENT",
      fieldViolations: [{ field: "name", description: "must match" }],
      preconditionViolations: [{ type: "T", description: "d", subject: "s" }],
      time: now,
    });
  });

  it("is removed when the last call succeeded", () => {
    const before = after(undefined, problem("stalled", { error: violations }));
    expect(after(before, readyOutcome)).not.toHaveProperty("error");
  });

  it("is replaced as a whole by another error", () => {
    const before = after(undefined, problem("stalled", { error: violations }));
    const other = problem("waiting", { error: platformError("UNAVAILABLE", { reason: "", domain: "" }) });
    const status = after(before, other);
    expect(status?.error).toEqual({ code: "UNAVAILABLE", message: "rejected with UNAVAILABLE", time: now });
    expect(after(status, other)).toBeUndefined();
  });

  it("contains no token", () => {
    const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl";
    const outcome = problem("stalled", {
      message: `refused ${token}`,
      error: platformError("UNAUTHENTICATED", {
        message: `bad ${token}`,
        fieldViolations: [{ field: "token", description: token }],
      }),
    });
    expect(JSON.stringify(after(undefined, outcome))).not.toContain("eyJ");
  });
});

describe("a status that the API server would reject", () => {
  const long = "x".repeat(70_000);
  const outcome = problem("stalled", {
    message: long,
    drift: Array.from({ length: 70 }, () => ({ field: "staticKeys", expected: long, actual: long })),
    error: platformError("INVALID_ARGUMENT", {
      message: long,
      fieldViolations: Array.from({ length: 70 }, () => ({ field: long, description: long })),
    }),
  });

  it("is truncated to the bounds of its schema", () => {
    const status = after(undefined, outcome);
    expect(status?.drift).toHaveLength(statusBounds.items);
    expect(statusSchema.safeParse(status).error?.issues ?? []).toEqual([]);
  });
});

it("removes drift that no longer exists", () => {
  const drift = [{ field: "name", expected: "a", actual: "b" }];
  const before = after(undefined, problem("failing", { drift }));
  expect(before?.drift).toEqual(drift);
  expect(after(before, readyOutcome)).not.toHaveProperty("drift");
});

describe("status.appliedGeneration", () => {
  it("is kept while the object is not Ready, and absent while it is", () => {
    const paused = after(ready, { is: "paused" });
    expect(paused?.appliedGeneration).toBe(1);
    const resource = groupResource({
      metadata: { generation: 2 },
      ...(paused === undefined ? {} : { status: paused }),
    });
    const edited = mergePatch(paused ?? {}, statusPatch(decisionInput({ resource }), { is: "paused" }) ?? {}) as Status;
    expect([edited.observedGeneration, edited.appliedGeneration]).toEqual([2, 1]);
    expect(after(edited, readyOutcome)).not.toHaveProperty("appliedGeneration");
  });

  it("is absent once another resource has the recorded uid", () => {
    const [before, later] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"].map((createTime) => {
      const recorded = { uid, parentUid: parent, createTime, management: "Adopted" } as const;
      return after({ ...ready, ...recorded, createTime: "2026-01-01T00:00:00Z" }, problem("waiting", { recorded }));
    });
    expect([before?.appliedGeneration, later?.appliedGeneration]).toEqual([1, undefined]);
  });

  it("is absent of an object that was never Ready, and of another resource", () => {
    expect(after(undefined, problem("stalled"))).not.toHaveProperty("appliedGeneration");
    const recorded = { uid: anotherUid, parentUid: parent, management: "Adopted" } as const;
    expect(after(ready, problem("waiting", { recorded }))).not.toHaveProperty("appliedGeneration");
    expect(after(after(ready, { is: "paused" }), problem("failing", { recorded: "cleared" }))).not.toHaveProperty(
      "appliedGeneration",
    );
  });
});
