import { describe } from "vitest";
import { abandonAnnotation } from "#src/api/annotations.ts";
import { itDecides, present, readyGroup, reports } from "./decision-cases.testing.ts";
import { deletedBinding, deletedGroup, deletionSeen } from "./ending-cases.testing.ts";
import {
  emptyState,
  externalGroup,
  marker,
  otherRoot,
  parent,
  ready,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

const external = present(externalGroup());
const none = { is: "none" } as const;

describe("an object", () => {
  itDecides([
    {
      name: "that no Tenant governs reports NoTenant",
      given: { resource: readyGroup, tenant: none, external },
      expected: reports("NoTenant", "add the namespace"),
    },
    {
      name: "that several Tenants govern reports Overlap",
      given: { resource: readyGroup, tenant: { is: "several", names: ["a", "b"] }, external },
      expected: reports("Overlap"),
    },
    {
      name: "whose Tenant serves only deletions reports NoTenant",
      given: { resource: readyGroup, tenant: { ...tenant, serves: "deletions" }, external },
      expected: reports("NoTenant", "only completes deletions"),
    },
    {
      name: "that created nothing does not keep its finalizer without a Tenant",
      given: { tenant: none, state: { ...emptyState, bornHere: true } },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "that was not seen to be created keeps its finalizer for the settle time",
      given: { tenant: none, settledAt: 30_000 },
      expected: reports("NoTenant"),
    },
    {
      name: "with a POST keeps its finalizer",
      given: { tenant: none, state: { ...emptyState, bornHere: true, posted: { naturalKey: "key" } } },
      expected: reports("NoTenant"),
    },
    {
      name: "with a resource outside of a narrowed Tenant is left unchanged",
      given: {
        resource: readyGroup,
        tenant: { ...tenant, groups: [otherRoot] },
        external: present(externalGroup({ name: "x" })),
      },
      expected: reports("TenantDenied", "outside of the groups"),
    },
  ]);
});

describe("the deletion of an object without a Tenant", () => {
  const deleted = deletedGroup({ status: ready });
  itDecides([
    {
      name: "waits if it has a resource",
      given: { resource: deleted, tenant: none, state: deletionSeen },
      expected: reports("NoTenant"),
    },
    {
      name: "is completed if nothing was created",
      given: {
        resource: deletedGroup(),
        tenant: none,
        state: { ...deletionSeen, bornHere: true },
      },
      expected: { do: "removeFinalizer" },
    },
    {
      name: "is completed if it is abandoned",
      given: {
        resource: deletedGroup({ status: ready, metadata: { annotations: { [abandonAnnotation]: "true" } } }),
        tenant: none,
        state: deletionSeen,
      },
      expected: { do: "removeFinalizer", event: { reason: "Orphaned" } },
    },
    {
      name: "is completed by a Tenant that serves only deletions",
      given: { resource: deleted, tenant: { ...tenant, serves: "deletions" }, external, state: deletionSeen },
      expected: { do: "delete" },
    },
  ]);
});

describe("the deletion below a parent of another Tenant that no longer grants its use", () => {
  const deleted = deletedGroup({ status: ready });
  const revoked = {
    resource: deleted,
    tenant: { ...tenant, groups: [otherRoot], parentIsForeign: true },
    references: { are: "waiting", reason: "ReferenceNotGranted", message: "" },
    state: deletionSeen,
  } as const;
  const [role, ownIdentity, otherIdentity] = ["viewer", `${otherRoot}/01`, `${parent}/01`];
  const binding = (identity: string) => ({
    ...revoked,
    resource: deletedBinding({ status: { ...ready, identityUid: identity, roleUid: role } }),
    external: present({ uid, identity: { uid: identity, name: "" }, role: { uid: role, name: "" } } as never),
  });
  itDecides([
    {
      name: "deletes what carries the object's marker",
      given: { ...revoked, external },
      expected: { do: "delete", uid },
    },
    {
      name: "reads the resource before it decides",
      given: { ...revoked, external: { is: "stale" } },
      expected: { do: "read", uid },
    },
    {
      name: "leaves what only a status claims",
      given: { ...revoked, external: present(externalGroup({ description: "" })) },
      expected: reports("TenantDenied", "Ask the owner of the parent that the spec names to add team"),
    },
    {
      name: "leaves what the status does not record",
      given: { ...revoked, resource: deletedGroup(), matches: [externalGroup()] },
      expected: reports("TenantDenied", "Ask the owner of the parent"),
    },
    {
      name: "deletes what this process created",
      given: {
        ...revoked,
        resource: deletedGroup(),
        matches: [externalGroup()],
        state: {
          ...deletionSeen,
          posted: { naturalKey: marker, created: { uid, parentUid: parent, management: "Created" } },
        },
      },
      expected: { do: "delete", uid },
    },
    {
      name: "deletes a grant to an identity of one of the groups of the Tenant",
      given: { ...binding(ownIdentity), tenant: { ...revoked.tenant, groups: [root.replaceAll("a", "e"), otherRoot] } },
      expected: { do: "delete", uid },
    },
    {
      name: "deletes a grant to an identity of the Tenant",
      given: binding(ownIdentity),
      expected: { do: "delete", uid },
    },
    {
      name: "leaves a grant to an identity of somebody else",
      given: binding(otherIdentity),
      expected: reports("TenantDenied", "Ask the owner of the parent"),
    },
    {
      name: "reports a narrowed Tenant for a parent of its own",
      given: { ...revoked, tenant: { ...revoked.tenant, parentIsForeign: false }, external },
      expected: reports("TenantDenied", "spec.groups of the Tenant"),
    },
  ]);
});
