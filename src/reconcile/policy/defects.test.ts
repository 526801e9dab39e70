import { describe, expect } from "vitest";
import { withMarker } from "#src/kinds/marker.ts";
import {
  itDecides,
  present,
  readyGroup,
  reports,
  reportsStalled,
  unmarked,
  waitingLong,
} from "./decision-cases.testing.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  externalGroup,
  groupResource,
  marker,
  ready,
  resolved,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

const deletionTimestamp = "2026-02-02T02:02:02Z";
const deletionSeen = { ...emptyState, deletionSeenAt: 18_000 };
const viewer = "c".repeat(40);
const handMade = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "d".repeat(40), name: "owner" } };
const desired = resolved({ identityUid: anotherUid, roleUid: viewer });

describe("the defects", () => {
  itDecides([
    {
      name: "D1: spec.uid of a RoleBinding never rewrites another binding",
      given: { resource: bindingResource({ spec: { uid } }), references: desired, external: present(handMade) },
      expected: reportsStalled("InvalidSpec"),
    },
    {
      name: "D1: deleting a RoleBinding whose spec.uid is another binding deletes nothing",
      given: {
        resource: bindingResource({ spec: { uid }, metadata: { deletionTimestamp } }),
        references: desired,
        external: present(handMade),
        state: deletionSeen,
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "D2: deleting a Group that never managed its spec.uid deletes nothing",
      given: {
        resource: groupResource({ spec: { uid }, metadata: { deletionTimestamp } }),
        external: present(unmarked("by hand")),
        state: deletionSeen,
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "D3: a resource is not adopted without the Tenant's permission",
      given: {
        resource: groupResource({ spec: { uid } }),
        external: present(unmarked("by hand")),
        tenant: { ...tenant, mayAdopt: false },
      },
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "D3: an adoption is recorded before the first write to the platform",
      given: { resource: groupResource({ spec: { uid } }), external: present(unmarked("by hand")) },
      expected: { do: "writeStatus", patch: { uid, management: "Adopted" } },
    },
    {
      name: "D11: a resource proven gone is not re-created before a list of its root that started later",
      given: {
        resource: readyGroup,
        external: { is: "gone", at: 19_000 },
        rootSnapshots: [{ group: root, snapshot: { startedAt: 18_000, stable: true } }],
      },
      expected: { do: "list", parent: root, startedAfter: 19_000 },
    },
    {
      name: "D16: the write that adopts marks the resource as adopted",
      given: {
        resource: groupResource({ spec: { uid }, status: { observedGeneration: 1, uid, management: "Adopted" } }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "update", body: { description: withMarker("by hand", marker, true) }, mask: ["description"] },
    },
    {
      name: "D18: with drift Report, a request re-creates a deleted resource",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone", at: 40 },
        request: { value: "now", seenAt: 30 },
      },
      expected: { do: "create" },
    },
    {
      name: "D18: a name conflict is judged by a list that started after the object was first seen",
      given: {
        nameConflicts: [{ external: unmarked(), claimedBy: null }],
        state: { ...emptyState, specSeenAt: 51 },
      },
      expected: { do: "list", startedAfter: 51 },
    },
    {
      name: "D17: a copied marker does not stop the object",
      given: {
        resource: readyGroup,
        external: present(externalGroup()),
        matches: [externalGroup(), externalGroup({ uid: anotherUid })],
      },
      expected: { do: "done" },
    },
    {
      name: "an object that no Tenant governs reports NoTenant",
      given: { resource: readyGroup, tenant: { is: "none" }, external: present(externalGroup()) },
      expected: reports("NoTenant"),
    },
    {
      name: "a namespace of two Tenants reports Overlap",
      given: { resource: readyGroup, tenant: { is: "several", names: ["a", "b"] }, external: present(externalGroup()) },
      expected: reports("Overlap"),
    },
    {
      name: "a Tenant that serves only deletions creates nothing",
      given: { tenant: { ...tenant, serves: "deletions" }, state: { ...emptyState, bornHere: true } },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "Protect waits",
      given: {
        resource: groupResource({
          metadata: { deletionTimestamp },
          status: ready,
          spec: { policy: { deletion: "Protect" } },
        }),
        external: present(externalGroup()),
        state: { ...waitingLong, deletionSeenAt: 18_000 },
      },
      expected: reports("Protected"),
    },
    {
      name: "Orphan needs the Tenant's permission",
      given: {
        resource: groupResource({
          metadata: { deletionTimestamp },
          status: ready,
          spec: { policy: { deletion: "Orphan" } },
        }),
        external: present(externalGroup()),
        state: deletionSeen,
        tenant: { ...tenant, mayOrphan: false },
      },
      expected: reports("TenantDenied"),
    },
    {
      name: "Observe never writes to the platform",
      given: {
        resource: groupResource({ spec: { uid, policy: { management: "Observe" } }, metadata: { finalizers: [] } }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "writeStatus", patch: { uid, management: "Observed" } },
    },
    {
      name: "an expired RoleBinding is not Ready, even if its references cannot be read",
      given: {
        resource: bindingResource({
          spec: { expiresAt: "2026-02-02T02:02:02Z" },
          status: { ...ready, management: "Created" },
        }),
        references: { are: "unread" },
        external: { is: "unknown" },
      },
      expected: reports("Expired"),
    },
    {
      name: "a recorded uid without an external resource is cleared when the loss is reported",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone", at: 40 },
        state: waitingLong,
      },
      expected: reports("ExternalGone", "", { uid: null, parentUid: null }),
    },
  ]);
  void expect;
});
