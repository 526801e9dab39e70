import { describe, expect } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { attemptOf } from "./conclude.ts";
import { isReady, judge, long, present, stalls } from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import type { Observed } from "#src/reconcile/observe/observed.ts";
import {
  groupResource,
  groupRow,
  marker,
  memory,
  observed,
  parent,
  ready,
  refusal,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";

describe("at rest", () => {
  judge([
    {
      name: "what is as the spec says is done",
      given: { resource: isReady, external: present(groupRow()) },
      expected: { do: "done" },
    },
    {
      name: "a field that the spec does not set is left alone",
      given: {
        resource: isReady,
        external: present(groupRow({ description: withMarker("by hand", marker) })),
      },
      expected: { do: "done" },
    },
    {
      name: "after a restart a recorded uid is looked for in a list that serves all",
      given: { resource: isReady, external: { is: "unknown" }, snapshot: undefined },
      expected: { do: "list", parent, startedAfter: 0, stable: false },
    },
    {
      name: "gone from a snapshot is a hint: it is read",
      given: { resource: isReady, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "an operator that cannot read says nothing of an object that was Ready: it keeps its last truth",
      given: {
        resource: isReady,
        external: { is: "unknown" },
        state: {
          ...long,
          failure: {
            step: "list",
            problem: { kind: "noResponse", message: "connection refused" },
            attemptOf: attemptOf(observed({ resource: isReady })),
            attempts: 5,
            at: 19_000,
            retryAt: 25_000,
          },
        },
      },
      expected: { do: "wait", until: 25_000 },
    },
    {
      name: "a wish for a reconcile reads it anew",
      given: { resource: isReady, external: present(groupRow(), 60), request: { value: "now", seenAt: 70 } },
      expected: { do: "read", uid },
    },
    {
      name: "and is answered in the status",
      given: { resource: isReady, external: present(groupRow(), 80), request: { value: "now", seenAt: 70 } },
      expected: { do: "writeStatus", patch: { lastHandledReconcileAt: "now" } },
    },
    {
      name: "paused: nothing is looked at, and the status says so",
      given: { resource: groupResource({ metadata: { annotations: { [pausedAnnotation]: "true" } } }) },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([expect.objectContaining({ status: "Unknown", reason: "Paused" })]),
        },
      },
    },
    {
      name: "a spec that does not fit its schema is shown",
      given: {
        invalid: "spec.name: too long",
        references: { are: "waiting", reason: "ReferenceNotFound", message: "" },
      },
      expected: stalls("InvalidSpec", "spec.name: too long"),
    },
  ]);
});

describe("an edit", () => {
  const edited = groupResource({
    metadata: { generation: 2 },
    spec: { name: "billing" },
    status: ready,
  });
  const references = resolved({ name: "billing" });
  judge([
    {
      name: "only what differs is written",
      given: { resource: edited, references, external: present(groupRow()) },
      expected: { do: "update", uid, body: { name: "billing" }, mask: ["name"], correction: false },
    },
    {
      name: "and then the status tells the new generation",
      given: { resource: edited, references, external: present(groupRow({ name: "billing" })) },
      expected: { do: "writeStatus", patch: { observedGeneration: 2 } },
    },
    {
      name: "an edit is never taken for drift, whatever the policy",
      given: {
        resource: groupResource({
          metadata: { generation: 2 },
          spec: { name: "billing", policy: { drift: "Report" } },
          status: ready,
        }),
        references,
        external: present(groupRow()),
      },
      expected: { do: "update", correction: false },
    },
    {
      name: "a platform that answers 200 and keeps another value is not written to again and again",
      given: {
        resource: edited,
        references,
        external: present(groupRow({ name: "payments" }), 19_000),
        state: {
          ...memory,
          update: {
            attemptOf: attemptOf(observed({ resource: edited })),
            drift: [{ field: "name", expected: "billing", actual: "payments" }],
            at: 19_000,
          },
        },
      },
      expected: stalls("PreconditionFailed", "spec.name"),
    },
  ]);
});

describe("waiting", () => {
  const waiting: Observed["references"] = { are: "waiting", reason: "ReferenceNotFound", message: "there is none" };
  judge([
    {
      name: "a wait that has only begun is not written",
      given: { references: waiting },
      expected: { do: "wait", until: 22_000 },
    },
    {
      name: "it is written once it has lasted 2 s, as Reconciling",
      given: { references: waiting, state: { ...memory, waitingSince: 18_000 } },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: [
            { type: "Ready", status: "False", reason: "ReferenceNotFound" },
            { type: "Reconciling", status: "True" },
            { type: "ReferencesResolved", status: "False" },
          ],
        },
      },
    },
    {
      name: "what may not be used is shown at once",
      given: { references: { are: "denied", message: "not in a root group" } },
      expected: {
        ...stalls("TenantDenied", "not in a root group"),
        event: { type: "Warning", reason: "TenantDenied" },
      },
    },
  ]);
});

describe("a refusal", () => {
  const edited = groupResource({ metadata: { generation: 2 } });
  const failed = (failure: Partial<NonNullable<ReconcileState["failure"]>>): Partial<Observed> => ({
    state: {
      ...long,
      failure: {
        step: "create",
        problem: { kind: "refused", error: refusal("INVALID_ARGUMENT") },
        attemptOf: attemptOf(observed()),
        attempts: 1,
        at: 19_000,
        retryAt: 40_000,
        ...failure,
      },
    },
  });
  judge([
    {
      name: "is not tried again before its time",
      given: failed({}),
      expected: stalls("InvalidSpec"),
    },
    { name: "is tried again when its time has come", given: failed({ retryAt: 20_000 }), expected: { do: "create" } },
    {
      name: "of another generation does not count",
      given: failed({ attemptOf: attemptOf(observed({ resource: edited })) }),
      expected: { do: "create" },
    },
    {
      name: "under another token does not count",
      given: { ...failed({}), credentialEpoch: 2 },
      expected: { do: "create" },
    },
    {
      name: "with ALREADY_EXISTS is followed by a look at what is there",
      given: failed({ problem: { kind: "refused", error: refusal("ALREADY_EXISTS") } }),
      expected: { do: "list", startedAfter: 19_000 },
    },
    {
      name: "with ALREADY_EXISTS is a Conflict where nothing of ours is found",
      given: {
        ...failed({ problem: { kind: "refused", error: refusal("ALREADY_EXISTS") } }),
        snapshot: { startedAt: 19_500, stable: true },
      },
      expected: stalls("Conflict"),
    },
  ]);
});
