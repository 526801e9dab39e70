import { describe } from "vitest";
import type { Role } from "#src/api/role.ts";
import { withMarker } from "#src/kinds/marker.ts";
import { itDecides, present, reports, reportsStalled, unmarked } from "./decision-cases.testing.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  foreignMarker,
  groupResource,
  holdsNothing,
  identityResource,
  marker,
  notReady,
  parent,
  ready,
  resolved,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

const named = groupResource({ spec: { uid } });
const recorded = (more: object = {}) => ({
  ...notReady("Updating"),
  uid,
  parentUid: parent,
  management: "Adopted",
  ...more,
});

describe("D3: an adoption", () => {
  itDecides([
    {
      name: "needs the Tenant's permission",
      given: { resource: named, external: present(unmarked("by hand")), tenant: { ...tenant, mayAdopt: false } },
      expected: reportsStalled("TenantDenied", "spec.adopt"),
    },
    {
      name: "is recorded before the first write to the platform",
      given: { resource: named, external: present(unmarked("by hand")) },
      expected: reports("Updating", "being adopted", { uid, parentUid: parent, management: "Adopted", tenant: "team" }),
    },
    {
      name: "is decided from a read that started after the spec was seen",
      given: { resource: named, external: present(unmarked("by hand"), 51), state: { ...emptyState, specSeenAt: 52 } },
      expected: { do: "read", uid },
    },
    {
      name: "adds the finalizer first",
      given: {
        resource: groupResource({ spec: { uid }, metadata: { finalizers: [] } }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "addFinalizer" },
    },
    {
      name: "D16: marks the resource as adopted in the one PATCH that writes what differs",
      given: {
        resource: groupResource({ spec: { uid, name: "billing" }, status: recorded() }),
        references: resolved({ name: "billing" }),
        external: present(unmarked("by hand")),
      },
      expected: {
        do: "update",
        body: { name: "billing", description: withMarker("by hand", marker, true) },
        mask: ["name", "description"],
      },
    },
    {
      name: "reports Adopted with the first Ready",
      given: {
        resource: groupResource({ spec: { uid }, status: recorded() }),
        external: present(unmarked(withMarker("by hand", marker, true))),
      },
      expected: { do: "writeStatus", patch: { conditions: [{ status: "True" }, {}] }, events: [{ reason: "Adopted" }] },
    },
    {
      name: "needs the permission until the marker is written",
      given: {
        resource: groupResource({ spec: { uid }, status: recorded() }),
        external: present(unmarked("by hand")),
        tenant: { ...tenant, mayAdopt: false },
      },
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "needs room for the marker",
      given: { resource: named, external: present(unmarked("x".repeat(500))) },
      expected: reportsStalled("InvalidSpec", "477"),
    },
    {
      name: "is what leaving Observe is",
      given: {
        resource: groupResource({ status: { ...ready, management: "Observed" } }),
        external: present(unmarked("by hand")),
      },
      expected: reports("Updating", "", { management: "Adopted" }),
    },
    {
      name: "survives a lost status: the marker says that the resource was adopted",
      given: { matches: [unmarked(withMarker("by hand", marker, true))] },
      expected: { do: "writeStatus", patch: { uid, management: "Adopted" } },
    },
    {
      name: "of a resource with the marker of another owner is a Conflict that names the owner and what to do",
      given: { resource: named, external: present(unmarked(withMarker("", foreignMarker))) },
      expected: reportsStalled("Conflict", "--previous-owner-id"),
    },
  ]);
});

describe("D3: the adoption of an identity", () => {
  const resource = identityResource({ spec: { uid, claimMatch: { issuer: "https://i.example", subject: "ci" } } });
  const external = { uid, name: "ci", description: "" };
  const given = { resource, references: resolved({ name: "ci" }), external: present(external) };
  itDecides([
    { name: "reads its role bindings first", given, expected: { do: "readGrants", of: { identity: uid } } },
    {
      name: "reads them again after a minute",
      given: {
        ...given,
        now: 80_000,
        grants: [holdsNothing],
      },
      expected: { do: "readGrants" },
    },
    {
      name: "is denied while it holds a role that the Tenant does not permit",
      given: {
        ...given,
        grants: [{ ...holdsNothing, denied: [anotherUid] }],
      },
      expected: reportsStalled("TenantDenied", "holds a role"),
    },
    {
      name: "continues if it holds none",
      given: {
        ...given,
        grants: [holdsNothing],
      },
      expected: reports("Updating"),
    },
    {
      name: "reads a role of an object first that it holds, and that was not read a moment ago",
      given: {
        ...given,
        grants: [{ ...holdsNothing, roleToRead: anotherUid }],
      },
      expected: { do: "readRole", role: anotherUid },
    },
    {
      name: "for emergencies is a Conflict",
      given: { ...given, protections: [{ uid, because: "breakGlass" }] },
      expected: reportsStalled("Conflict", "protects"),
    },
    {
      name: "that is a credential is a Conflict",
      given: { ...given, protections: [{ uid, because: "credential" }] },
      expected: reportsStalled("Conflict", "credential"),
    },
  ]);
});

describe("the adoption of a role", () => {
  const { metadata, spec, ...rest } = identityResource({ spec: { uid } });
  const resource: Role = { ...rest, kind: "Role", metadata, spec: { ...spec, capabilities: [] } };
  const external = { uid, name: "lister", description: "", capabilities: [] };
  const given = { resource, references: resolved({ name: "lister" }), external: present(external) };
  itDecides([
    { name: "reads its role bindings first", given, expected: { do: "readGrants", of: { role: uid } } },
    {
      name: "reads an identity to which it is bound if it is not known who uses that",
      given: { ...given, grants: [{ ...holdsNothing, unknownIdentity: anotherUid }] },
      expected: { do: "readIdentity", identity: anotherUid },
    },
    {
      name: "is denied while the Tenant could not take over one of its role bindings",
      given: {
        ...given,
        grants: [{ ...holdsNothing, denied: [anotherUid], unknownIdentity: anotherUid }],
      },
      expected: reportsStalled("TenantDenied", `role binding ${anotherUid}.`),
    },
    { name: "continues otherwise", given: { ...given, grants: [holdsNothing] }, expected: reports("Updating") },
  ]);
});

describe("an equal role binding that no object claims", () => {
  const viewer = "c".repeat(40);
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: viewer, name: "viewer" } };
  const references = resolved({ identityUid: anotherUid, roleUid: viewer });
  const mayNotAdopt = { ...tenant, mayAdopt: false };
  itDecides([
    {
      name: "is taken over without the Tenant's permission to adopt",
      given: { resource: bindingResource(), references, matches: [equal], tenant: mayNotAdopt },
      expected: {
        do: "writeStatus",
        patch: { uid, management: "Adopted", identityUid: anotherUid, roleUid: viewer },
        events: [{ reason: "Adopted" }],
      },
    },
    {
      name: "is not taken over before its role was read: what it allows now may be more than the Tenant does",
      given: { resource: bindingResource(), references, matches: [equal], roleToRead: viewer },
      expected: { do: "readRole", role: viewer },
    },
    {
      name: "is not taken over before it is known whether its identity is of another owner",
      given: { resource: bindingResource(), references, matches: [equal], unknownIdentities: [anotherUid] },
      expected: { do: "readIdentity", identity: anotherUid },
    },
    {
      name: "is Created if a POST of this process for the object created it",
      given: {
        resource: bindingResource(),
        references,
        matches: [equal],
        state: { ...emptyState, posted: { naturalKey: `${parent} ${anotherUid} ${viewer}` } },
      },
      expected: { do: "writeStatus", patch: { management: "Created" } },
    },
    {
      name: "needs the permission if spec.uid names it",
      given: {
        resource: bindingResource({ spec: { uid } }),
        references,
        external: present(equal),
        tenant: mayNotAdopt,
      },
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "of another owner's identity is not taken over",
      given: {
        resource: bindingResource(),
        references,
        matches: [equal],
        protections: [{ uid, because: "otherOwner" }],
      },
      expected: reportsStalled("Conflict", "another Muster installation"),
    },
    {
      name: "is read before it is recorded if it may have been deleted",
      given: { resource: bindingResource(), references, matches: [equal], readTimes: [] },
      expected: { do: "read", uid },
    },
    {
      name: "goes to the object that comes first",
      given: { resource: bindingResource(), references, matches: [equal], rival: "team/older" },
      expected: reportsStalled("Conflict", "RoleBinding older"),
    },
  ]);
});
