import { describe } from "vitest";
import { abandonAnnotation, pausedAnnotation } from "#src/api/annotations.ts";
import { withMarker } from "#src/kinds/marker.ts";
import { present, reports, unmarked } from "./decision-cases.testing.ts";
import { deletedGroup, deletionSeen, existing, itDecidesDeletion, released } from "./ending-cases.testing.ts";
import { externalGroup, foreignMarker, otherRoot, ready, root, tenant, uid } from "./observed-fixture.testing.ts";

describe("an object with an external resource", () => {
  itDecidesDeletion([
    { name: "deletes the resource by its recorded uid", given: existing, expected: { do: "delete", uid } },
    {
      name: "does not need its references",
      given: { ...existing, references: { are: "waiting", reason: "ReferenceNotFound", message: "" } },
      expected: { do: "delete", uid },
    },
    {
      name: "removes the finalizer if this process deleted the resource",
      given: { ...existing, external: { is: "gone", at: 40 }, state: { ...deletionSeen, deleting: uid } },
      expected: released,
    },
    {
      name: "reads a resource that a list lacked: absence must be proven",
      given: { ...existing, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "reads a resource again that was read long ago",
      given: { ...existing, external: present(externalGroup(), 4_999) },
      expected: { do: "read", uid },
    },
    {
      name: "reads a resource again that was read before the deletion was seen",
      given: { ...existing, external: present(externalGroup(), 17_999) },
      expected: { do: "read", uid },
    },
    {
      name: "finds the resource after a restart in a list that serves all objects",
      given: { ...existing, external: { is: "unknown" } },
      expected: { do: "list", parent: root },
    },
    {
      name: "is done if our finalizer is not set",
      given: { ...existing, resource: deletedGroup({ status: ready, metadata: { finalizers: ["another/one"] } }) },
      expected: { do: "done" },
    },
    {
      name: "reports TenantDenied outside of the Tenant's groups and names the annotation abandon",
      given: { resource: deletedGroup({ status: { ...ready, uid: `${otherRoot}/4444444444444444` } }) },
      expected: reports("TenantDenied", abandonAnnotation),
    },
    {
      name: "is released without any call by the annotation abandon, even if paused",
      given: {
        ...existing,
        crd: null,
        resource: deletedGroup({
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
        resource: deletedGroup({ status: ready, metadata: { annotations: { [pausedAnnotation]: "true" } } }),
      },
      expected: { do: "writeStatus" },
    },
  ]);
});

describe("a resource that is not ours", () => {
  itDecidesDeletion([
    {
      name: "is left unchanged if an older object claims it",
      given: { ...existing, claimedBy: "team/older" },
      expected: released,
    },
    {
      name: "is left unchanged if it carries another marker",
      given: { ...existing, external: present(externalGroup({ description: withMarker("", foreignMarker) })) },
      expected: released,
    },
    {
      name: "is left unchanged if it is the operator's own",
      given: { ...existing, protections: [{ uid, because: "root" }] },
      expected: released,
    },
    {
      name: "is left unchanged if it is a credential that a forged status names",
      given: { ...existing, protections: [{ uid, because: "credential" }] },
      expected: released,
    },
    {
      name: "D2: does not become ours by spec.uid",
      given: { ...existing, resource: deletedGroup({ spec: { uid } }), external: present(unmarked("by hand")) },
      expected: released,
    },
  ]);
});

describe("the CustomResourceDefinition", () => {
  itDecidesDeletion([
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
  ]);
});

describe("the policy of deletion", () => {
  const policy = (deletion: "Protect" | "Orphan") => deletedGroup({ status: ready, spec: { policy: { deletion } } });
  const adopted = deletedGroup({ status: { ...ready, management: "Adopted" } });
  const { deletion: _deletion, ...withoutDeletion } = adopted.spec.policy;
  itDecidesDeletion([
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
  ]);
});
