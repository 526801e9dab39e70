import { describe } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import type { Group } from "#src/api/group.ts";
import type { RoleBinding } from "#src/api/role-binding.ts";
import { withMarker } from "#src/kinds/marker.ts";
import { itDecides, present, reports, reportsStalled, unmarked, waitingLong } from "./decision-cases.testing.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  externalGroup,
  foreignMarker,
  groupResource,
  marker,
  otherRoot,
  parent,
  type Parts,
  ready,
  resolved,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

const viewer = "c".repeat(40);
const observing = ({ spec, ...parts }: Parts<Group> = {}) =>
  groupResource({
    metadata: { finalizers: [] },
    ...parts,
    spec: { ...spec, policy: { management: "Observe", ...spec?.policy } },
  });
const observedStatus = { do: "writeStatus", patch: { uid, management: "Observed" } };

describe("an object that only observes", () => {
  itDecides([
    {
      name: "finds its resource by spec.uid, without a finalizer and without the permission to adopt",
      given: {
        resource: observing({ spec: { uid } }),
        external: present(unmarked("by hand")),
        tenant: { ...tenant, mayAdopt: false },
      },
      expected: observedStatus,
    },
    {
      name: "finds its resource by its unique name, even if another owner manages it",
      given: {
        resource: observing(),
        nameConflicts: [{ external: unmarked(withMarker("", foreignMarker)), claimedBy: null }],
      },
      expected: observedStatus,
    },
    {
      name: "reports that what spec.uid names is gone",
      given: { resource: observing({ spec: { uid } }), external: { is: "gone", at: 40 }, state: waitingLong },
      expected: reports("ExternalGone"),
    },
    {
      name: "finds another resource by its name once that which the status records is gone",
      given: {
        resource: observing({ status: { ...ready, management: "Observed" } }),
        external: { is: "gone", at: 40 },
        nameConflicts: [{ external: externalGroup({ uid: anotherUid, description: "" }), claimedBy: null }],
      },
      expected: { do: "writeStatus", patch: { uid: anotherUid } },
    },
    {
      name: "loses a finalizer that guards nothing, without a look at the platform",
      given: {
        resource: observing({ metadata: { finalizers: [finalizer] } }),
        state: { ...emptyState, bornHere: true },
        snapshot: null,
        rootSnapshots: [{ group: root, snapshot: null }],
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "reports a Conflict if the name is not unique",
      given: {
        resource: observing(),
        nameConflicts: [
          { external: unmarked(), claimedBy: null },
          { external: externalGroup({ uid: anotherUid, description: "" }), claimedBy: null },
        ],
      },
      expected: reportsStalled("Conflict", anotherUid),
    },
    {
      name: "reports that there is none, and creates none",
      given: { resource: observing(), state: waitingLong },
      expected: reports("ReferenceNotFound", "only observes"),
    },
    {
      name: "reads a root group, which no list shows",
      given: {
        resource: observing({ spec: { uid: root } }),
        references: { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: marker },
      },
      expected: { do: "read", uid: root },
    },
    {
      name: "observes a root group, which is protected",
      given: {
        resource: observing({ spec: { uid: root } }),
        references: { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: marker },
        external: present(externalGroup({ uid: root, description: "" })),
        protections: [{ uid: root, because: "root" }],
      },
      expected: { do: "writeStatus", patch: { uid: root, management: "Observed" } },
    },
    {
      name: "discloses nothing of a group outside of the Tenant's groups",
      given: {
        resource: observing({ spec: { uid: otherRoot } }),
        references: { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: marker },
        external: present(externalGroup({ uid: otherRoot, description: "" })),
      },
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "reports what differs, and writes nothing",
      given: {
        resource: observing({ spec: { uid, name: "billing" } }),
        references: resolved({ name: "billing" }),
        external: present(unmarked()),
        state: waitingLong,
      },
      expected: reports("DriftDetected", "name", { uid, drift: [{ field: "name" }] }),
    },
    {
      name: "reads its resource again if somebody requests it",
      given: {
        resource: observing({ spec: { uid } }),
        external: present(unmarked(), 100),
        request: { value: "now", seenAt: 200 },
      },
      expected: { do: "read", uid },
    },
    {
      name: "has to name a resource or a group",
      given: {
        resource: observing({ spec: {} }),
        references: { are: "resolved", uids: {}, granted: [], desired: {}, naturalKey: marker },
      },
      expected: reportsStalled("InvalidSpec", "neither the uid of the group nor the group above it"),
    },
    {
      name: "clears the uid of a resource that is gone",
      given: {
        resource: observing({ spec: { uid }, status: { ...ready, management: "Observed" } }),
        external: { is: "gone", at: 40 },
        state: waitingLong,
      },
      expected: reports("ExternalGone", "", { uid: null }),
    },
  ]);
});

describe("an object that has said Observe since it was created, with the finalizer of an admission policy", () => {
  const admitted = observing({ metadata: {} });
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: viewer, name: "viewer" } };
  const binding = (generation: number, parts: Parts<RoleBinding> = {}) =>
    bindingResource({
      ...parts,
      metadata: { ...parts.metadata, generation },
      spec: { policy: { management: "Observe" } },
    });
  const noOrphans = { ...tenant, mayOrphan: false };
  const references = resolved({ identityUid: anotherUid, roleUid: viewer });
  const denied = { are: "denied", message: "spec.groupUid: outside." } as const;
  const released = { do: "removeFinalizer" };
  // Nothing is settled or listed yet.
  const unknown = { settledAt: 30_000, snapshot: null, rootSnapshots: [], tenant: noOrphans };
  itDecides([
    { name: "loses it: a group", given: { ...unknown, resource: admitted }, expected: released },
    {
      name: "loses it: a group with a copied marker",
      given: { ...unknown, resource: admitted, matches: [externalGroup()] },
      expected: released,
    },
    {
      name: "loses it: a role binding, although an equal one exists",
      given: { ...unknown, resource: binding(1), references, matches: [equal] },
      expected: released,
    },
    {
      name: "loses it before its references exist: an edit would hide that it has only observed",
      given: {
        ...unknown,
        resource: binding(1),
        references: { are: "waiting", reason: "ReferenceNotReady", message: "spec.groupRef: missing." },
      },
      expected: released,
    },
    {
      name: "loses it although its time has passed",
      given: {
        ...unknown,
        resource: bindingResource({
          metadata: { generation: 1 },
          spec: { policy: { management: "Observe" }, expiresAt: "2020-01-01T00:00:00Z" },
        }),
        references,
      },
      expected: released,
    },
    {
      name: "keeps it during a pause",
      given: {
        ...unknown,
        resource: binding(1, { metadata: { annotations: { "iam.muster.dev/paused": "true" } } }),
        references,
      },
      expected: { do: "writeStatus" },
    },
    {
      name: "loses it without a Tenant",
      given: { ...unknown, resource: binding(1), references: denied, tenant: { is: "none" } },
      expected: released,
    },
    {
      name: "loses it where the Tenant denies the references",
      given: { ...unknown, resource: binding(1), references: denied },
      expected: released,
    },
    {
      name: "loses it when it is deleted, which increments the generation",
      given: {
        ...unknown,
        resource: binding(2, { metadata: { deletionTimestamp: "2026-02-02T02:02:02Z" } }),
        references,
        matches: [equal],
      },
      expected: released,
    },
    {
      name: "keeps it for an equal role binding if it may have said Full before: the Tenant decides",
      given: { resource: binding(2), references, matches: [equal], tenant: noOrphans },
      expected: reportsStalled("TenantDenied", "spec.allowOrphan"),
    },
    {
      name: "loses it if it may have said Full before, and no equal role binding exists",
      given: { resource: binding(2), references, tenant: noOrphans },
      expected: released,
    },
  ]);
});

describe("leaving Full", () => {
  const leaving = observing({ metadata: {}, status: ready });
  const given = { resource: leaving, external: present(externalGroup({ description: withMarker("text", marker) })) };
  itDecides([
    {
      name: "needs the Tenant's permission to leave resources behind",
      given: { ...given, tenant: { ...tenant, mayOrphan: false } },
      expected: reportsStalled("TenantDenied", "spec.allowOrphan"),
    },
    {
      name: "removes the marker",
      given,
      expected: { do: "update", body: { description: "text" }, mask: ["description"] },
    },
    {
      name: "changes nothing outside of the Tenant's groups, which were narrowed",
      given: { ...given, tenant: { ...tenant, groups: [otherRoot] } },
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "then removes the finalizer",
      given: { ...given, external: present(unmarked("text")) },
      expected: { do: "removeFinalizer", event: { reason: "Orphaned" } },
    },
    {
      name: "looks for what a request with a lost response may have created",
      given: { resource: observing({ metadata: { generation: 2 } }), snapshot: null },
      expected: { do: "list", parent },
    },
  ]);
});
