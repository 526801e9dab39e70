import { describe, expect } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { Failure, References } from "#src/reconcile/observe/observed.ts";
import { hours } from "#src/time/durations.ts";
import { attemptOf } from "./attempted.ts";
import { itDecides, present, readyGroup, reports, reportsStalled, waitingLong } from "./decision-cases.testing.ts";
import {
  anotherUid,
  emptyState,
  externalGroup,
  groupResource,
  marker,
  observed,
  type ObservedParts,
  parent,
  platformError,
  ready,
  notReady,
  resolved,
  root,
  uid,
} from "./observed-fixture.testing.ts";

describe("an object that exists", () => {
  itDecides([
    {
      name: "is done if it matches the spec",
      given: { resource: readyGroup, external: present(externalGroup()) },
      expected: { do: "done" },
    },
    {
      name: "leaves a field that the spec does not set unchanged",
      given: {
        resource: readyGroup,
        external: present(externalGroup({ description: withMarker("by hand", marker) })),
      },
      expected: { do: "done" },
    },
    {
      name: "finds a recorded uid after a restart in a list that serves all objects",
      given: { resource: readyGroup, external: { is: "unknown" }, snapshot: null },
      expected: { do: "list", parent, startedAfter: 0, stable: false },
    },
    {
      name: "reads a recorded uid after a restart if the spec was edited meanwhile: an edit waits for no list",
      given: {
        resource: groupResource({ status: ready, metadata: { generation: 2 } }),
        external: { is: "unknown" },
        snapshot: null,
      },
      expected: { do: "read", uid },
    },
    {
      name: "lists for an object with a uid whose status is new: a restored backup has many of them",
      given: {
        resource: groupResource({ spec: { uid }, status: { observedGeneration: -1 } }),
        external: { is: "unknown" },
        snapshot: null,
      },
      expected: { do: "list", parent },
    },
    {
      name: "reads a resource that a list lacked: that is a hint, not a proof",
      given: { resource: readyGroup, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "keeps the last status of a Ready object while the platform cannot be read",
      given: {
        resource: readyGroup,
        external: { is: "unknown" },
        state: {
          ...waitingLong,
          failure: {
            step: "list",
            problem: { kind: "noResponse", message: "connection refused" },
            attemptOf: attemptOf(observed({ resource: readyGroup })),
            attempts: 5,
            at: 19_000,
            retryAt: 25_000,
          },
        },
      },
      expected: { do: "wait", until: 25_000 },
    },
    {
      name: "reads the resource again when a reconcile is requested",
      given: { resource: readyGroup, external: present(externalGroup(), 60), request: { value: "now", seenAt: 70 } },
      expected: { do: "read", uid },
    },
    {
      name: "acknowledges the request in the status",
      given: { resource: readyGroup, external: present(externalGroup(), 80), request: { value: "now", seenAt: 70 } },
      expected: { do: "writeStatus", patch: { lastHandledReconcileAt: "now" } },
    },
    {
      name: "reports Paused and reads nothing",
      given: { resource: groupResource({ metadata: { annotations: { [pausedAnnotation]: "true" } } }) },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([expect.objectContaining({ status: "Unknown", reason: "Paused" })]),
        },
      },
    },
    {
      name: "reports a spec that does not match its schema",
      given: {
        invalid: "spec.name: too long",
        references: { are: "waiting", reason: "ReferenceNotFound", message: "" },
      },
      expected: reportsStalled("InvalidSpec", "spec.name: too long"),
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
  itDecides([
    {
      name: "writes only the fields that differ",
      given: { resource: edited, references, external: present(externalGroup()) },
      expected: { do: "update", uid, body: { name: "billing" }, mask: ["name"], correction: false },
    },
    {
      name: "then reports the new generation",
      given: { resource: edited, references, external: present(externalGroup({ name: "billing" })) },
      expected: { do: "writeStatus", patch: { observedGeneration: 2 } },
    },
    {
      name: "does not take an edit for drift, whatever the policy",
      given: {
        resource: groupResource({
          metadata: { generation: 2 },
          spec: { name: "billing", policy: { drift: "Report" } },
          status: ready,
        }),
        references,
        external: present(externalGroup()),
      },
      expected: { do: "update", correction: false },
    },
    {
      name: "stops updating a platform that accepts the update and stores another value",
      given: {
        resource: edited,
        references,
        external: present(externalGroup({ name: "payments" }), 19_000),
        state: {
          ...emptyState,
          update: {
            attemptOf: attemptOf(observed({ resource: edited })),
            drift: [{ field: "name", expected: "billing", actual: "payments" }],
            at: 19_000,
          },
        },
      },
      expected: reportsStalled("PreconditionFailed", "spec.name"),
    },
    {
      name: "updates such a platform again an hour later",
      given: {
        resource: edited,
        references,
        external: present(externalGroup({ name: "payments" }), 19_000),
        state: {
          ...emptyState,
          update: {
            attemptOf: attemptOf(observed({ resource: edited })),
            drift: [{ field: "name", expected: "billing", actual: "payments" }],
            at: 20_000 - hours(1),
          },
        },
      },
      expected: { do: "update", mask: ["name"] },
    },
  ]);
});

describe("waiting", () => {
  const waiting: References = { are: "waiting", reason: "ReferenceNotFound", message: "there is none" };
  itDecides([
    {
      name: "does not report a wait that has just started",
      given: { references: waiting },
      expected: { do: "wait", until: 22_000 },
    },
    {
      name: "reports Reconciling after 2 s",
      given: { references: waiting, state: { ...emptyState, waitingSince: 18_000 } },
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
      name: "reports a denied reference at once",
      given: { references: { are: "denied", message: "not in a root group" } },
      expected: {
        ...reportsStalled("TenantDenied", "not in a root group"),
        events: [{ type: "Warning", reason: "TenantDenied" }],
      },
    },
  ]);
});

describe("a rejected request", () => {
  const edited = groupResource({ metadata: { generation: 2 } });
  const failed = (failure: Partial<Failure>): ObservedParts => ({
    state: {
      ...waitingLong,
      failure: {
        step: "create",
        problem: { kind: "rejected", error: platformError("INVALID_ARGUMENT") },
        attemptOf: attemptOf(observed()),
        attempts: 1,
        at: 19_000,
        retryAt: 40_000,
        ...failure,
      },
    },
  });
  itDecides([
    {
      name: "is not repeated before its delay has passed",
      given: failed({}),
      expected: reportsStalled("InvalidSpec"),
    },
    { name: "is repeated after its delay", given: failed({ retryAt: 20_000 }), expected: { do: "create" } },
    {
      name: "does not delay another generation",
      given: failed({ attemptOf: attemptOf(observed({ resource: edited })) }),
      expected: { do: "create" },
    },
    {
      name: "does not delay a request with a new token",
      given: { ...failed({}), credentialEpoch: 2 },
      expected: { do: "create" },
    },
    {
      name: "with ALREADY_EXISTS is followed by a list",
      given: failed({ problem: { kind: "rejected", error: platformError("ALREADY_EXISTS") } }),
      expected: { do: "list", startedAfter: 19_000 },
    },
    {
      name: "with ALREADY_EXISTS is a Conflict if the list contains nothing of ours",
      given: {
        ...failed({ problem: { kind: "rejected", error: platformError("ALREADY_EXISTS") } }),
        snapshot: { startedAt: 19_500, stable: true },
      },
      expected: reportsStalled("Conflict"),
    },
  ]);
});

describe("a creation", () => {
  itDecides([
    {
      name: "adds the finalizer before anything exists on the platform",
      given: { resource: groupResource({ metadata: { finalizers: [] } }) },
      expected: { do: "addFinalizer" },
    },
    {
      name: "sends the marker at the end of the description",
      given: { references: resolved({ name: "payments", description: "the shop's" }) },
      expected: {
        do: "create",
        parent,
        body: { name: "payments", description: withMarker("the shop's", marker) },
        event: { reason: "Created" },
      },
    },
    {
      name: "adds the finalizer before it takes over an existing resource, too",
      given: { resource: groupResource({ metadata: { finalizers: [] } }), matches: [externalGroup()] },
      expected: { do: "addFinalizer" },
    },
  ]);
});

describe("a resource that is gone", () => {
  itDecides([
    {
      name: "D11: is not re-created before a list of its root that started later, so that the breaker sees the loss",
      given: {
        resource: readyGroup,
        external: { is: "gone", at: 19_000 },
        rootSnapshots: [{ group: root, snapshot: { startedAt: 18_000, stable: true } }],
      },
      expected: { do: "list", parent: root, startedAfter: 19_000, stable: false },
    },
    {
      name: "D18: is re-created on request, although drift is Report",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone", at: 40 },
        request: { value: "now", seenAt: 30 },
      },
      expected: { do: "create" },
    },
    {
      name: "is no longer recorded once its loss is reported",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone", at: 40 },
        state: waitingLong,
      },
      expected: reports("ExternalGone", "", { uid: null, parentUid: null }),
    },
    {
      name: "is not re-created after its uid was cleared either",
      given: {
        resource: groupResource({
          spec: { policy: { drift: "Report" } },
          status: { ...notReady("ExternalGone"), management: "Created" },
        }),
        state: waitingLong,
      },
      expected: reports("ExternalGone", "not re-created"),
    },
    {
      name: "is re-created",
      given: { resource: readyGroup, external: { is: "gone", at: 40 } },
      expected: { do: "create", parent },
    },
    {
      name: "is reported if drift is Report",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone", at: 40 },
        state: waitingLong,
      },
      expected: reports("ExternalGone", "not re-created"),
    },
    {
      name: "is not re-created if spec.uid names it",
      given: { resource: groupResource({ spec: { uid }, status: ready }), external: { is: "gone", at: 40 } },
      expected: reportsStalled("ExternalGone", "without spec.uid"),
    },
    {
      name: "meets the same conflicts as a first creation",
      given: {
        resource: readyGroup,
        external: { is: "gone", at: 40 },
        nameConflicts: [{ external: externalGroup({ uid: anotherUid, description: "" }), claimedBy: null }],
      },
      expected: reportsStalled("Conflict", anotherUid),
    },
    {
      name: "together with many others is not re-created before an administrator confirms it on the Tenant",
      given: { resource: readyGroup, external: { is: "gone", at: 40 }, heldByBreaker: true, state: waitingLong },
      expected: reports("HeldByBreaker", "iam.muster.dev/confirm"),
    },
    {
      name: "together with many others is not read one by one",
      given: { resource: readyGroup, external: { is: "stale" }, heldByBreaker: true, state: waitingLong },
      expected: reports("HeldByBreaker", "iam.muster.dev/confirm"),
    },
    {
      name: "together with many others is not re-created for a request either",
      given: {
        resource: readyGroup,
        external: { is: "gone", at: 40 },
        heldByBreaker: true,
        request: { value: "yes", seenAt: 100 },
        state: waitingLong,
      },
      expected: reports("HeldByBreaker"),
    },
  ]);
});

describe("an object with references that can never be resolved", () => {
  itDecides([
    {
      name: "reports a cycle",
      given: { references: { are: "invalid", message: "spec.parentRef: the parents form a cycle." } },
      expected: reportsStalled("InvalidSpec", "cycle"),
    },
    {
      name: "reports that a group is missing, also if the schema has let that pass",
      given: { references: { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: marker } },
      expected: reportsStalled("InvalidSpec"),
    },
  ]);
});
