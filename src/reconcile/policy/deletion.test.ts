import { describe, expect } from "vitest";
import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import { type DecisionCase, itDecides as itDecidesFrom, reports } from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import type { Dependent, ReconcileState } from "#src/reconcile/observe/observed.ts";
import {
  anotherUid,
  bindingResource,
  foreignMarker,
  groupResource,
  externalGroup,
  marker,
  emptyState,
  observed,
  type ObservedParts,
  otherRoot,
  parent,
  type Parts,
  ready,
  platformError,
  resolved,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";
import { attemptOf } from "./attempted.ts";

const dependent = (name: string, namespace = "team") => {
  const [kind = "", object = ""] = name.split(" ");
  return { kind, key: `${namespace}/${object}`, unsettled: false };
};
const remaining = (name: string, namespace?: string): Dependent => ({ ...dependent(name, namespace), deleting: false });
const beingDeleted = (name: string): Dependent => ({ ...dependent(name), deleting: true });

const deletionSeen: ReconcileState = { ...emptyState, deletionSeenAt: 18_000 };
const deletionTimestamp = "2026-02-02T02:02:02Z";
const deleted = (parts: Parts<ReturnType<typeof groupResource>> = {}) =>
  groupResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
const deletedBinding = (parts: Parts<ReturnType<typeof bindingResource>> = {}) =>
  bindingResource({ ...parts, metadata: { ...parts.metadata, deletionTimestamp } });
const released = { do: "removeFinalizer" };

/** The deletion of each object was seen before. */
function itDecides(cases: readonly DecisionCase[]): void {
  itDecidesFrom(cases.map((one) => ({ ...one, given: { state: deletionSeen, ...one.given } })));
}

const existing: ObservedParts = {
  resource: deleted({ status: ready }),
  external: { is: "present", resource: externalGroup(), seenAt: 60 },
};

describe("an object with an external resource", () => {
  itDecides([
    { name: "deletes the resource by its recorded uid", given: existing, expected: { do: "delete", uid } },
    {
      name: "does not need its references",
      given: { ...existing, references: { are: "waiting", reason: "ReferenceNotFound", message: "" } },
      expected: { do: "delete", uid },
    },
    {
      name: "removes the finalizer if the resource is gone",
      given: { ...existing, external: { is: "gone", at: 40 }, state: { ...deletionSeen, deleting: uid } },
      expected: released,
    },
    {
      name: "reads a resource that a list lacked: absence must be proven",
      given: { ...existing, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "finds the resource after a restart in a list that serves all objects",
      given: { ...existing, external: { is: "unknown" } },
      expected: { do: "list", parent: root },
    },
    {
      name: "waits for its dependents with ChildrenExist and names them",
      given: {
        ...existing,
        dependents: [remaining("Identity ci"), beingDeleted("RoleBinding ci-views")],
        state: { ...deletionSeen, waitingSince: 0 },
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
      name: "does not name its dependents in other namespaces",
      given: {
        ...existing,
        dependents: [remaining("Identity ci"), remaining("Identity a", "secret"), remaining("Identity b", "secret")],
        state: { ...deletionSeen, waitingSince: 0 },
      },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              reason: "ChildrenExist",
              message: expect.stringContaining(": Identity ci, an Identity in another namespace."),
            }),
          ]),
        },
      },
    },
    {
      name: "does not report the wait while all dependents are being deleted",
      given: {
        ...existing,
        dependents: [beingDeleted("Identity ci")],
        state: { ...deletionSeen, waitingSince: 0 },
        now: 20_000,
      },
      expected: { do: "wait", until: 60_000 },
    },
    {
      name: "does not report the wait while deletions keep arriving",
      given: {
        ...existing,
        dependents: [remaining("Identity ci")],
        state: { ...deletionSeen, waitingSince: 10_000 },
        lastDeletionAt: 19_500,
        now: 20_000,
      },
      expected: { do: "wait", until: 21_500 },
    },
    {
      name: "reports the wait after a minute of deletions",
      given: {
        ...existing,
        dependents: [remaining("Identity ci")],
        state: { ...deletionSeen, waitingSince: 10_000 },
        lastDeletionAt: 69_900,
        now: 70_000,
      },
      expected: { do: "writeStatus" },
    },
    {
      name: "reports the wait after a minute, even if all dependents are being deleted",
      given: {
        ...existing,
        dependents: [beingDeleted("Identity ci")],
        state: { ...deletionSeen, waitingSince: 0 },
        now: 60_000,
      },
      expected: { do: "writeStatus" },
    },
    {
      name: "is done if our finalizer is not set",
      given: { ...existing, resource: deleted({ status: ready, metadata: { finalizers: ["another/one"] } }) },
      expected: { do: "done" },
    },
    {
      name: "waits if the platform rejects the deletion because the group is not empty, and names what is in it",
      given: {
        ...existing,
        children: ['group "by hand" 0a/1', "role binding 0a/2"],
        state: {
          ...deletionSeen,
          waitingSince: 0,
          failure: {
            step: "delete",
            problem: {
              kind: "rejected",
              error: platformError("FAILED_PRECONDITION", {
                preconditionViolations: [
                  { type: "RESOURCE_NOT_EMPTY", description: "cannot delete group with child repos" },
                ],
              }),
            },
            attemptOf: attemptOf(observed(existing)),
            attempts: 1,
            at: 19_000,
            retryAt: 25_000,
          },
        },
      },
      expected: reports("ChildrenExist", 'other resources are in it: group "by hand" 0a/1, role binding 0a/2.', {
        error: expect.objectContaining({ code: "FAILED_PRECONDITION" }),
      }),
    },
    {
      name: "reports TenantDenied outside of the Tenant's groups and names the annotation abandon",
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

describe("the CustomResourceDefinition", () => {
  itDecides([
    {
      name: "is read before anything is deleted",
      given: { ...existing, crd: null },
      expected: { do: "readCrd" },
    },
    {
      name: "is read again if the read is older than the deletion",
      given: { ...existing, crd: { readAt: 17_999, deleting: false } },
      expected: { do: "readCrd" },
    },
    {
      name: "keeps the external resource while it is being deleted",
      given: { ...existing, crd: { readAt: 19_000, deleting: true } },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "does not make an object wait for dependents while it is being deleted",
      given: { ...existing, crd: { readAt: 19_000, deleting: true }, dependents: [remaining("Identity ci")] },
      expected: released,
    },
  ]);
});

describe("an object without a recorded uid", () => {
  itDecides([
    {
      name: "is released at once if nothing was created",
      given: { resource: deleted(), state: { ...deletionSeen, bornHere: true }, snapshot: null, rootSnapshots: [] },
      expected: released,
    },
    {
      name: "is released at once if nothing was created, even if a reference is denied",
      given: {
        resource: deleted(),
        state: { ...deletionSeen, bornHere: true },
        references: { are: "denied", message: "not in a root group" },
      },
      expected: released,
    },
    {
      name: "finds the resource of a request with a lost response by its marker and deletes it",
      given: { resource: deleted(), matches: [externalGroup()] },
      expected: { do: "delete", uid },
    },
    {
      name: "lists all roots if a previous leader may have created the resource",
      given: { resource: deleted(), rootSnapshots: [{ group: root, snapshot: null }] },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "waits for the settle time if this process may have created the resource",
      given: {
        resource: deleted(),
        postUnknownSince: 19_000,
        state: { ...deletionSeen, posted: { naturalKey: marker } },
      },
      expected: { do: "wait" },
    },
    {
      name: "needs lists that started after another session created such a resource",
      given: {
        resource: deleted(),
        createdElsewhereAt: 51,
        state: { ...deletionSeen, bornHere: true, posted: { naturalKey: marker } },
      },
      expected: { do: "list", parent: root, startedAfter: 51, stable: false },
    },
    {
      name: "is released if stable lists of all roots lack the resource",
      given: {
        resource: deleted(),
        postUnknownSince: 1_000,
        state: { ...deletionSeen, bornHere: true, posted: { naturalKey: marker } },
        rootSnapshots: [{ group: root, snapshot: { startedAt: 17_000, stable: true } }],
      },
      expected: released,
    },
    {
      name: "reads the roles for a role binding, which cannot be identified without them",
      given: { resource: deletedBinding(), references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
    {
      name: "is released if it is a role binding whose group, identity or role is gone",
      given: {
        resource: deletedBinding(),
        references: { are: "waiting", reason: "ReferenceNotFound", message: "" },
        unrecorded: { is: "impossible" },
      },
      expected: released,
    },
    {
      name: "waits if it is a role binding and the kind of its identity has not been read",
      given: {
        resource: deletedBinding(),
        references: { are: "unreadKind", kind: "Identity", path: "spec.identityRef" },
        state: { ...deletionSeen, waitingSince: 18_000 },
      },
      expected: reports("ReferenceNotReady", "spec.identityRef: the operator has not been able to read the Identity"),
    },
    {
      name: "is released if it has a marker, and the group that would contain it is gone",
      given: {
        resource: deleted(),
        references: { are: "waiting", reason: "ReferenceNotFound", message: "" },
        unrecorded: { is: "impossible" },
      },
      expected: released,
    },
    {
      name: "waits if it has a marker, and the kind of its group has not been read",
      given: {
        resource: deleted(),
        references: { are: "unreadKind", kind: "Group", path: "spec.parentRef" },
        state: { ...deletionSeen, waitingSince: 18_000 },
        unrecorded: { is: "unknown" },
      },
      expected: reports("ReferenceNotReady", "spec.parentRef: the operator has not been able to read the Group"),
    },
  ]);
});

describe("the policy of deletion", () => {
  const policy = (deletion: "Protect" | "Orphan") => deleted({ status: ready, spec: { policy: { deletion } } });
  const adopted = groupResource({
    status: { ...ready, management: "Adopted" },
    metadata: { deletionTimestamp },
  });
  const { deletion: _deletion, ...withoutDeletion } = adopted.spec.policy;
  itDecides([
    {
      name: "Protect waits",
      given: { ...existing, resource: policy("Protect") },
      expected: { do: "writeStatus", patch: { conditions: [{ reason: "Protected" }, {}, {}] } },
    },
    {
      name: "Orphan needs the Tenant's permission",
      given: { ...existing, resource: policy("Orphan"), tenant: { ...tenant, mayOrphan: false } },
      expected: { do: "writeStatus", patch: { conditions: [{ reason: "TenantDenied" }, {}, {}] } },
    },
    {
      name: "keeps what was adopted if it is absent, whatever the Tenant permits",
      given: {
        ...existing,
        resource: { ...adopted, spec: { ...adopted.spec, policy: withoutDeletion } },
        tenant: { ...tenant, mayOrphan: false },
      },
      expected: { do: "update", body: { description: "" } },
    },
    {
      name: "deletes what was adopted if it says Delete",
      given: { ...existing, resource: adopted },
      expected: { do: "delete" },
    },
    {
      name: "D2: does not make spec.uid ours",
      given: {
        ...existing,
        resource: deleted({ spec: { uid } }),
        external: { is: "present", resource: externalGroup({ description: "by hand" }), seenAt: 60 },
      },
      expected: released,
    },
    {
      name: "D8: Orphan waits for a dependent with an unsettled POST, which needs this object to find what it created",
      given: {
        ...existing,
        resource: policy("Orphan"),
        dependents: [{ ...beingDeleted("RoleBinding ci-views"), unsettled: true }],
      },
      expected: { do: "wait" },
    },
  ]);
});

describe("an object whose recorded resource is gone", () => {
  const gone: ObservedParts = { ...existing, external: { is: "gone", at: 40 } };
  const createdAgain = { ...externalGroup(), uid: anotherUid };
  const grant = {
    uid: anotherUid,
    identity: { uid: anotherUid, name: "" },
    role: { uid: "c".repeat(40), name: "viewer" },
  };
  itDecides([
    {
      name: "deletes what was created again and not recorded",
      given: { ...gone, matches: [createdAgain] },
      expected: { do: "delete", uid: anotherUid },
    },
    {
      name: "is released if lists of all roots show nothing else",
      given: gone,
      expected: released,
    },
    {
      name: "lists all roots if an earlier process may have created the resource again",
      given: { ...gone, rootSnapshots: [{ group: root, snapshot: null }] },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "waits for the settle time if this process may have created the resource again",
      given: { ...gone, postUnknownSince: 19_000, state: { ...deletionSeen, posted: { naturalKey: marker } } },
      expected: { do: "wait" },
    },
    {
      name: "is released at once if this process deleted the resource, whatever else carries its marker or equals it",
      given: {
        ...gone,
        matches: [createdAgain],
        rootSnapshots: [{ group: root, snapshot: null }],
        state: { ...deletionSeen, deleting: uid },
      },
      expected: released,
    },
    {
      name: "leaves an equal role binding alone if this process deleted its own",
      given: {
        ...gone,
        resource: deletedBinding({ status: ready }),
        references: resolved({ identityUid: grant.identity.uid, roleUid: grant.role.uid }),
        matches: [grant],
        state: { ...deletionSeen, deleting: uid },
      },
      expected: released,
    },
  ]);
});

describe("equal role bindings", () => {
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "c".repeat(40), name: "viewer" } };
  const references = resolved({ identityUid: equal.identity.uid, roleUid: equal.role.uid });
  itDecides([
    {
      name: "are kept if they existed before the object",
      given: { resource: deletedBinding(), references, matches: [equal], state: { ...deletionSeen, bornHere: true } },
      expected: released,
    },
    {
      name: "are deleted if this process created them",
      given: {
        resource: deletedBinding(),
        references,
        matches: [equal],
        state: { ...deletionSeen, bornHere: true, posted: { naturalKey: `${parent} ${anotherUid} ${equal.role.uid}` } },
      },
      expected: { do: "delete", uid },
    },
    {
      name: "that remain are reported in the event",
      given: {
        resource: deletedBinding({ status: ready }),
        references,
        external: { is: "present", resource: equal, seenAt: 60 },
        matches: [equal, { ...equal, uid: anotherUid }],
      },
      expected: { do: "delete", uid, event: { note: expect.stringContaining(anotherUid) } },
    },
  ]);
});

describe("a resource that is not ours, or stays", () => {
  const orphan = deleted({ status: ready, spec: { policy: { deletion: "Orphan" } } });
  itDecides([
    {
      name: "is left unchanged if an older object claims it",
      given: { ...existing, claimedBy: "team/older" },
      expected: released,
    },
    {
      name: "is left unchanged if it carries another marker",
      given: {
        ...existing,
        external: {
          is: "present",
          resource: externalGroup({ description: withMarker("", foreignMarker) }),
          seenAt: 60,
        },
      },
      expected: released,
    },
    {
      name: "is left unchanged if it is the operator's own",
      given: { ...existing, protections: [{ uid, because: "root" }] },
      expected: released,
    },
    {
      name: "does not delete a credential that a forged status names",
      given: { ...existing, protections: [{ uid, because: "credential" }] },
      expected: released,
    },
    {
      name: "loses its marker under Orphan",
      given: { ...existing, resource: orphan },
      expected: { do: "update", uid, body: { description: "" }, mask: ["description"] },
    },
    {
      name: "is released under Orphan once the marker is removed",
      given: {
        ...existing,
        resource: orphan,
        external: { is: "present", resource: externalGroup({ description: "" }), seenAt: 60 },
      },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "is released under Orphan if the marker cannot be removed",
      given: {
        ...existing,
        resource: orphan,
        state: {
          ...deletionSeen,
          failure: {
            step: "update",
            problem: { kind: "rejected", error: platformError("PERMISSION_DENIED") },
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
      name: "does not wait for dependents under Orphan",
      given: { ...existing, resource: orphan, dependents: [remaining("Identity ci")] },
      expected: { do: "update" },
    },
    {
      name: "is released without any call by the annotation abandon, even if paused",
      given: {
        ...existing,
        crd: null,
        resource: deleted({
          status: ready,
          metadata: { annotations: { [abandonAnnotation]: "true", [pausedAnnotation]: "true" } },
        }),
      },
      expected: { ...released, event: { reason: "Orphaned" } },
    },
    {
      name: "is left unchanged while paused",
      given: {
        ...existing,
        resource: deleted({ status: ready, metadata: { annotations: { [pausedAnnotation]: "true" } } }),
      },
      expected: { do: "writeStatus" },
    },
    {
      name: "keeps the text of its description when the marker is removed",
      given: {
        ...existing,
        resource: orphan,
        external: {
          is: "present",
          resource: externalGroup({ description: withMarker("the shop's", marker) }),
          seenAt: 60,
        },
      },
      expected: { do: "update", body: { description: "the shop's" } },
    },
  ]);
});

describe("a role binding that was never recorded, after a restart", () => {
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "c".repeat(40), name: "viewer" } };
  const references = resolved({ identityUid: anotherUid, roleUid: "c".repeat(40) });
  itDecides([
    {
      name: "deletes an equal one, which an earlier process may have created",
      given: { resource: deletedBinding(), references, matches: [equal] },
      expected: { do: "delete", uid },
    },
    ...(["breakGlass", "otherOwner"] as const).map((because) => ({
      name: `leaves one alone that it could not take over: ${because}`,
      given: { resource: deletedBinding(), references, matches: [equal], protections: [{ uid, because }] },
      expected: released,
    })),
  ]);
});
