import { describe, expect, it } from "vitest";
import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import { attemptOf } from "./conclude.ts";
import { decide } from "./decide.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { ReconcileState } from "#src/reconcile/observe/reconcile-state.ts";
import type { Dependent, Observed } from "#src/reconcile/observe/observed.ts";
import {
  anotherUid,
  bindingResource,
  foreignMarker,
  groupResource,
  groupRow,
  marker,
  memory,
  observed,
  otherRoot,
  type Parts,
  ready,
  refusal,
  resolved,
  root,
  uid,
} from "./observed-fixture.testing.ts";

const stands = (name: string): Dependent => ({ name, leaving: false });
const leaves = (name: string): Dependent => ({ name, leaving: true });

interface Case {
  readonly name: string;
  readonly given: Partial<Observed>;
  readonly expected: object;
}

const seen: ReconcileState = { ...memory, deletionSeenAt: 18_000 };
const deletionTimestamp = "2026-02-02T02:02:02Z";
const deleted = (parts: Parts<ReturnType<typeof groupResource>> = {}) =>
  groupResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
const deletedBinding = (parts: Parts<ReturnType<typeof bindingResource>> = {}) =>
  bindingResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
const released = { do: "removeFinalizer" };

function judge(cases: readonly Case[]) {
  it.each(cases)("$name", ({ given, expected }) => {
    expect(decide(observed({ state: seen, ...given }))).toMatchObject(expected);
  });
}

const stood: Partial<Observed> = {
  resource: deleted({ status: ready }),
  external: { is: "present", row: groupRow(), seenAt: 60 },
};

describe("deleting what stands", () => {
  judge([
    { name: "it is deleted by its recorded uid", given: stood, expected: { do: "delete", uid } },
    {
      name: "its references need not be found",
      given: { ...stood, references: { are: "waiting", reason: "ReferenceNotFound", message: "" } },
      expected: { do: "delete", uid },
    },
    {
      name: "gone outside is success: the finalizer is released",
      given: { ...stood, external: { is: "gone" } },
      expected: released,
    },
    {
      name: "absence has to be proven: a hint is read",
      given: { ...stood, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "after a restart it is looked for in a list that serves all",
      given: { ...stood, external: { is: "unknown" } },
      expected: { do: "list", parent: root },
    },
    {
      name: "an object whose dependants still stand waits with ChildrenExist, and names them",
      given: {
        ...stood,
        dependents: [stands("Identity ci"), leaves("RoleBinding ci-views")],
        state: { ...seen, waitingSince: 0 },
      },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: "Reconciling",
              reason: "ChildrenExist",
              message: expect.stringContaining("Identity ci, RoleBinding ci-views"),
            }),
          ]),
        },
      },
    },
    {
      name: "while all of them are on their way out that is not worth a write",
      given: { ...stood, dependents: [leaves("Identity ci")], state: { ...seen, waitingSince: 0 }, now: 20_000 },
      expected: { do: "wait", until: 60_000 },
    },
    {
      name: "nor while deletions keep coming in, as those that still stand may be next",
      given: {
        ...stood,
        dependents: [stands("Identity ci")],
        state: { ...seen, waitingSince: 10_000 },
        lastDeletionAt: 19_500,
        now: 20_000,
      },
      expected: { do: "wait", until: 21_500 },
    },
    {
      name: "unless they do so for a minute",
      given: {
        ...stood,
        dependents: [stands("Identity ci")],
        state: { ...seen, waitingSince: 10_000 },
        lastDeletionAt: 69_900,
        now: 70_000,
      },
      expected: { do: "writeStatus" },
    },
    {
      name: "unless it takes a minute",
      given: { ...stood, dependents: [leaves("Identity ci")], state: { ...seen, waitingSince: 0 }, now: 60_000 },
      expected: { do: "writeStatus" },
    },
    {
      name: "without a finalizer of ours nothing is left to do",
      given: { ...stood, resource: deleted({ status: ready, metadata: { finalizers: ["another/one"] } }) },
      expected: { do: "done" },
    },
    {
      name: "what the platform refuses as not empty waits, with what it said",
      given: {
        ...stood,
        state: {
          ...seen,
          waitingSince: 0,
          failure: {
            step: "delete",
            problem: {
              kind: "refused",
              error: refusal("FAILED_PRECONDITION", {
                preconditionViolations: [
                  { type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos" },
                ],
              }),
            },
            attemptOf: attemptOf(observed(stood)),
            attempts: 1,
            at: 19_000,
            retryAt: 25_000,
          },
        },
      },
      expected: { do: "writeStatus", patch: { error: { code: "FAILED_PRECONDITION" } } },
    },
    {
      name: "outside the root groups nothing is touched, and abandon is named as the way out",
      given: { resource: deleted({ status: { ...ready, uid: `${otherRoot}/4444444444444444` } }) },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([
            expect.objectContaining({ reason: "TenantDenied", message: expect.stringContaining(abandonAnnotation) }),
          ]),
        },
      },
    },
  ]);
});

describe("the definition itself", () => {
  judge([
    {
      name: "is read live before anything is deleted",
      given: { ...stood, crd: undefined },
      expected: { do: "readCrd" },
    },
    {
      name: "by a read begun after the deletion was seen",
      given: { ...stood, crd: { readAt: 17_999, deleting: false } },
      expected: { do: "readCrd" },
    },
    {
      name: "while it is being deleted nothing outside is deleted",
      given: { ...stood, crd: { readAt: 19_000, deleting: true } },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "while it is being deleted nobody waits for dependants, either",
      given: { ...stood, crd: { readAt: 19_000, deleting: true }, dependents: [stands("Identity ci")] },
      expected: released,
    },
  ]);
});

describe("what was never recorded", () => {
  judge([
    {
      name: "never made: released at once",
      given: { resource: deleted(), state: { ...seen, bornHere: true }, snapshot: undefined, rootSnapshots: [] },
      expected: released,
    },
    {
      name: "never made: released at once, whatever may be used",
      given: {
        resource: deleted(),
        state: { ...seen, bornHere: true },
        references: { are: "denied", message: "not in a root group" },
      },
      expected: released,
    },
    {
      name: "made by a request whose answer was lost: found by its marker and deleted",
      given: { resource: deleted(), matches: [groupRow()] },
      expected: { do: "delete", uid },
    },
    {
      name: "perhaps made by a former leader: it is looked for everywhere below the roots",
      given: { resource: deleted(), rootSnapshots: [{ root, snapshot: undefined }] },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "perhaps made by us: not before the settle time is over",
      given: { resource: deleted(), postUnknownSince: 19_000, postedHere: true },
      expected: { do: "wait" },
    },
    {
      name: "not found in stable lists of all roots: released",
      given: {
        resource: deleted(),
        postUnknownSince: 1_000,
        postedHere: true,
        rootSnapshots: [{ root, snapshot: { startedAt: 17_000, stable: true } }],
      },
      expected: released,
    },
    {
      name: "a binding while roles are unread: they are read, as it cannot be known without",
      given: { resource: deletedBinding(), references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
    {
      name: "a binding of something that is gone: it went along",
      given: { resource: deletedBinding(), references: { are: "waiting", reason: "ReferenceNotFound", message: "" } },
      expected: released,
    },
  ]);
});

describe("equal role bindings", () => {
  const row = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "c".repeat(40), name: "viewer" } };
  const references = resolved({ identityUid: row.identity.uid, roleUid: row.role.uid });
  judge([
    {
      name: "one that nobody recorded and adoption does not allow is not ours to delete",
      given: { resource: deletedBinding({ spec: { policy: { adoption: "Never" } } }), references, matches: [row] },
      expected: released,
    },
    {
      name: "one that was there when the object came and went is not ours to delete",
      given: { resource: deletedBinding(), references, matches: [row], state: { ...seen, bornHere: true } },
      expected: released,
    },
    {
      name: "one that this process made is",
      given: {
        resource: deletedBinding({ spec: { policy: { adoption: "Never" } } }),
        references,
        matches: [row],
        postedHere: true,
      },
      expected: { do: "delete", uid },
    },
    {
      name: "those that stay are told in the event",
      given: {
        resource: deletedBinding({ status: ready }),
        references,
        external: { is: "present", row, seenAt: 60 },
        matches: [row, { ...row, uid: anotherUid }],
      },
      expected: { do: "delete", uid, event: { note: expect.stringContaining(anotherUid) } },
    },
  ]);
});

describe("what is not ours, or shall stay", () => {
  const orphan = deleted({ status: ready, spec: { policy: { deletion: "Orphan" } } });
  judge([
    {
      name: "in Conflict with an elder object: released without touching anything",
      given: { ...stood, competingClaimant: "team/elder" },
      expected: released,
    },
    {
      name: "with another's marker: released without touching anything",
      given: {
        ...stood,
        external: { is: "present", row: groupRow({ description: withMarker("", foreignMarker) }), seenAt: 60 },
      },
      expected: released,
    },
    {
      name: "the operator's own: released without touching anything",
      given: { ...stood, isProtected: () => true },
      expected: released,
    },
    {
      name: "Orphan takes the marker away",
      given: { ...stood, resource: orphan },
      expected: { do: "update", uid, body: { description: "" }, mask: ["description"] },
    },
    {
      name: "Orphan lets go once it is away",
      given: {
        ...stood,
        resource: orphan,
        external: { is: "present", row: groupRow({ description: "" }), seenAt: 60 },
      },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "Orphan lets go if it cannot be taken away",
      given: {
        ...stood,
        resource: orphan,
        state: {
          ...seen,
          failure: {
            step: "update",
            problem: { kind: "refused", error: refusal("PERMISSION_DENIED") },
            attemptOf: attemptOf(observed({ resource: orphan })),
            attempts: 1,
            at: 19_000,
            retryAt: 30_000,
          },
        },
      },
      expected: released,
    },
    {
      name: "Orphan waits for no dependants",
      given: { ...stood, resource: orphan, dependents: [stands("Identity ci")] },
      expected: { do: "update" },
    },
    {
      name: "abandon releases without any call, recorded or not, paused or not",
      given: {
        ...stood,
        crd: undefined,
        resource: deleted({
          status: ready,
          metadata: { annotations: { [abandonAnnotation]: "true", [pausedAnnotation]: "true" } },
        }),
      },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "paused: it stays as it is",
      given: {
        ...stood,
        resource: deleted({ status: ready, metadata: { annotations: { [pausedAnnotation]: "true" } } }),
      },
      expected: { do: "writeStatus" },
    },
  ]);
});

it("a description keeps its text when its marker goes", () => {
  const row = groupRow({ description: withMarker("the shop's", marker) });
  const step = decide(
    observed({
      state: seen,
      resource: deleted({ status: ready, spec: { policy: { deletion: "Orphan" } } }),
      external: { is: "present", row, seenAt: 60 },
    }),
  );
  expect(step).toMatchObject({ body: { description: "the shop's" } });
});
