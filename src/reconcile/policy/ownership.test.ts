import { describe, expect } from "vitest";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import {
  becomesReady,
  readyGroup,
  itDecides,
  present,
  reports,
  reportsStalled,
  unmarked,
} from "./decision-cases.testing.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  foreignMarker,
  groupResource,
  externalGroup,
  otherRoot,
  ready,
  resolved,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

describe("a uid in the spec that another object manages", () => {
  itDecides([
    {
      name: "is a Conflict below the group that the spec names",
      given: { resource: groupResource({ spec: { uid } }), claimedBy: "others/one" },
      expected: reportsStalled("Conflict", "a Group in another namespace"),
    },
    {
      name: "is only reported as wrong elsewhere: that somebody manages it is not disclosed",
      given: { resource: groupResource({ spec: { uid: `${otherRoot}/2222222222222222` } }), claimedBy: "others/one" },
      expected: reportsStalled("InvalidSpec", "not directly below"),
    },
  ]);
});

describe("a resource with the same name", () => {
  const ownMarker = markerOf(ownerHash("owner"), objectHash("Group", "team", "other"));
  const ifExists = groupResource({ spec: { policy: { adoption: "IfExists" } } });
  itDecides([
    {
      name: "is a Conflict if it carries another marker",
      given: {
        nameConflicts: [{ external: externalGroup({ description: withMarker("", foreignMarker) }), claimedBy: null }],
      },
      expected: reportsStalled("Conflict", "Choose another name"),
    },
    {
      name: "is a Conflict if it carries another marker, whatever the adoption policy",
      given: {
        resource: ifExists,
        nameConflicts: [{ external: externalGroup({ description: withMarker("", foreignMarker) }), claimedBy: null }],
      },
      expected: reportsStalled("Conflict", "another Muster"),
    },
    {
      name: "is a Conflict if another object claims it, which the message names",
      given: { resource: ifExists, nameConflicts: [{ external: unmarked(), claimedBy: "team/other" }] },
      expected: reportsStalled("Conflict", "managed by Group other"),
    },
    {
      name: "is a Conflict if an object in another namespace claims it, which the message does not name",
      given: { resource: ifExists, nameConflicts: [{ external: unmarked(), claimedBy: "secret-team/secret-name" }] },
      expected: reportsStalled("Conflict", "managed by a Group in another namespace"),
    },
    {
      name: "is a Conflict if the objects swap their names, with the way out",
      given: {
        nameConflicts: [{ external: unmarked(), claimedBy: "team/other" }],
        nameCircle: ["team/other", "others/third"],
      },
      expected: reportsStalled(
        "Conflict",
        "Group payments, Group other and a Group in another namespace want each other's names",
      ),
    },
    {
      name: "is a Conflict with the way out if two objects swap their names",
      given: { nameConflicts: [{ external: unmarked(), claimedBy: "team/other" }], nameCircle: ["team/other"] },
      expected: reportsStalled("Conflict", "Group payments and Group other want each other's names"),
    },
    {
      name: "is a Conflict if it carries the marker of another object of this owner, which is not called another owner",
      given: { nameConflicts: [{ external: unmarked(withMarker("", ownMarker)), claimedBy: null }] },
      expected: reportsStalled("Conflict", "another object of this cluster"),
    },
    {
      name: "is a Conflict if it is unmarked and adoption is Never; the message names both fixes",
      given: { nameConflicts: [{ external: unmarked(), claimedBy: null }] },
      expected: reportsStalled("Conflict", `spec.uid: ${uid}`),
    },
    {
      name: "is recorded as Adopted before any write to the platform if it is unmarked and adoption is IfExists",
      given: { resource: ifExists, nameConflicts: [{ external: unmarked("by hand"), claimedBy: null }] },
      expected: reports("Updating", "", { uid, management: "Adopted" }),
    },
    {
      name: "is a Conflict if there is more than one",
      given: {
        resource: ifExists,
        nameConflicts: [
          { external: unmarked(), claimedBy: null },
          { external: externalGroup({ uid: anotherUid, description: "" }), claimedBy: null },
        ],
      },
      expected: reportsStalled("Conflict", anotherUid),
    },
    {
      name: "D18: is judged by a list that started after the object, or its present spec, was first seen",
      given: {
        nameConflicts: [{ external: unmarked(), claimedBy: null }],
        state: { ...emptyState, specSeenAt: 51 },
      },
      expected: { do: "list", startedAfter: 51 },
    },
    {
      name: "D10: is a Conflict before a rename",
      given: {
        resource: groupResource({ spec: { name: "billing" }, status: ready, metadata: { generation: 2 } }),
        references: resolved({ name: "billing" }),
        external: present(externalGroup()),
        nameConflicts: [
          { external: externalGroup({ uid: anotherUid, name: "billing", description: "" }), claimedBy: null },
        ],
      },
      expected: reportsStalled("Conflict", anotherUid),
    },
    {
      name: "is looked for before a rename: somebody may have created one since the group was listed",
      given: {
        resource: groupResource({ spec: { name: "billing" }, status: ready, metadata: { generation: 2 } }),
        references: resolved({ name: "billing" }),
        external: present(externalGroup()),
        nameListedAt: null,
      },
      expected: { do: "listNamed", name: "billing" },
    },
    {
      name: "that another object comes first for is a Conflict before a rename",
      given: {
        resource: groupResource({ spec: { name: "billing" }, status: ready, metadata: { generation: 2 } }),
        references: resolved({ name: "billing" }),
        external: present(externalGroup()),
        rival: "team/older",
      },
      expected: reportsStalled("Conflict", "Group older already declares the same name"),
    },
    {
      name: "is read before a rename if it may have another name by now",
      given: {
        resource: groupResource({ spec: { name: "billing" }, status: ready, metadata: { generation: 2 } }),
        references: resolved({ name: "billing" }),
        external: present(externalGroup()),
        nameConflicts: [
          { external: externalGroup({ uid: anotherUid, name: "billing", description: "" }), claimedBy: "team/other" },
        ],
        readTimes: [],
      },
      expected: { do: "read", uid: anotherUid },
    },
    {
      name: "is read before it is judged if it may be gone",
      given: { nameConflicts: [{ external: unmarked(), claimedBy: null }], readTimes: [] },
      expected: { do: "read", uid },
    },
    {
      name: "D10: that another object comes first for is a Conflict before anything exists",
      given: { rival: "team/older" },
      expected: reportsStalled("Conflict", "Group older already declares the same name"),
    },
    {
      name: "is a Conflict before the finalizer is added",
      given: {
        resource: groupResource({ metadata: { finalizers: [] } }),
        nameConflicts: [{ external: unmarked(), claimedBy: null }],
      },
      expected: reportsStalled("Conflict"),
    },
  ]);
});

describe("an external resource", () => {
  itDecides([
    {
      name: "is a Conflict if an older object claims its uid",
      given: { resource: readyGroup, external: present(externalGroup()), claimedBy: "team/older" },
      expected: reportsStalled("Conflict", "belongs to Group older"),
    },
    {
      name: "is not written if it carries another marker",
      given: {
        resource: groupResource({ spec: { uid, name: "renamed" } }),
        references: resolved({ name: "renamed" }),
        external: present(externalGroup({ description: withMarker("", foreignMarker) })),
      },
      expected: reportsStalled("Conflict", "marker of another"),
    },
    {
      name: "is not managed if it belongs to the operator itself",
      given: {
        resource: groupResource({ spec: { uid } }),
        external: present(unmarked()),
        protections: [{ uid, because: "root" }],
      },
      expected: reportsStalled("Conflict", "never written"),
    },
    {
      name: "is an InvalidSpec, and not read, if spec.uid is not below the named group",
      given: { resource: groupResource({ spec: { uid: `${otherRoot}/4444444444444444` } }) },
      expected: reportsStalled("InvalidSpec", "spec.uid"),
    },
  ]);
});

describe("a role binding, which has no marker", () => {
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "c".repeat(40), name: "viewer" } };
  const another = { ...equal, role: { uid: "d".repeat(40), name: "owner" } };
  const desired = { identityUid: anotherUid, roleUid: "c".repeat(40) };
  const references = resolved(desired);
  itDecides([
    {
      name: "takes over an equal one that no other object claims",
      given: { resource: bindingResource(), references, matches: [equal] },
      expected: becomesReady,
    },
    {
      name: "is Ready in addition to equal ones",
      given: {
        resource: bindingResource({
          status: {
            ...ready,
            identityUid: anotherUid,
            roleUid: "c".repeat(40),
            conditions: (ready.conditions ?? []).map((one) =>
              one.type === "Ready"
                ? { ...one, message: "The role binding exists on the platform and matches the spec." }
                : one,
            ),
          },
        }),
        references,
        external: present(equal),
        matches: [equal, { ...equal, uid: anotherUid }],
      },
      expected: { do: "done" },
    },
    {
      name: "does not take over what is not equal to its spec",
      given: { resource: bindingResource(), references, matches: [another] },
      expected: { do: "create", body: desired },
    },
    {
      name: "that spec.uid names needs no permission to adopt any longer once the status records it",
      given: {
        resource: bindingResource({
          spec: { uid },
          status: { ...ready, identityUid: anotherUid, roleUid: "c".repeat(40), management: "Adopted" },
        }),
        references,
        external: present(equal),
        tenant: { ...tenant, mayAdopt: false },
      },
      expected: {
        do: "writeStatus",
        patch: { conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", status: "True" })]) },
      },
    },
    {
      name: "is created without a description",
      given: { resource: bindingResource(), references },
      expected: { do: "create", body: desired },
    },
    {
      name: "is not created before it is known whether its identity is of another owner",
      given: { resource: bindingResource(), references, unknownIdentities: [anotherUid] },
      expected: { do: "readIdentity", identity: anotherUid },
    },
    {
      name: "is not created before its role was read: what it allows now may be more than the Tenant does",
      given: { resource: bindingResource(), references, roleToRead: desired.roleUid },
      expected: { do: "readRole", role: desired.roleUid },
    },
    {
      name: "reads the roles if they have not been read",
      given: { resource: bindingResource(), references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
  ]);
});
