import { describe } from "vitest";
import { becomesReady, isReady, judge, present, stalls, unmarked } from "./decision-cases.testing.ts";
import { withMarker } from "#src/kinds/marker.ts";
import {
  anotherUid,
  bindingResource,
  foreignMarker,
  groupResource,
  groupRow,
  otherRoot,
  ready,
  resolved,
  uid,
} from "./observed-fixture.testing.ts";

describe("of the same name", () => {
  const ifExists = groupResource({ spec: { policy: { adoption: "IfExists" } } });
  judge([
    {
      name: "another's marker: Conflict",
      given: {
        nameConflicts: [{ row: groupRow({ description: withMarker("", foreignMarker) }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", "Choose another name"),
    },
    {
      name: "another's marker: Conflict, whatever adoption says",
      given: {
        resource: ifExists,
        nameConflicts: [{ row: groupRow({ description: withMarker("", foreignMarker) }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", "another Muster"),
    },
    {
      name: "another object's: Conflict, and it is named",
      given: { resource: ifExists, nameConflicts: [{ row: unmarked(), claimedBy: "team/other" }] },
      expected: stalls("Conflict", "managed by Group other"),
    },
    {
      name: "one in another namespace: Conflict, without a word of what is there",
      given: { resource: ifExists, nameConflicts: [{ row: unmarked(), claimedBy: "secret-team/secret-name" }] },
      expected: stalls("Conflict", "managed by a Group in another namespace"),
    },
    {
      name: "unmarked, adoption Never: Conflict, with both ways out",
      given: { nameConflicts: [{ row: unmarked(), claimedBy: undefined }] },
      expected: stalls("Conflict", `spec.uid: ${uid}`),
    },
    {
      name: "unmarked, adoption IfExists: taken, and adopting writes nothing outside",
      given: { resource: ifExists, nameConflicts: [{ row: unmarked("by hand"), claimedBy: undefined }] },
      expected: { ...becomesReady, event: { reason: "Adopted" } },
    },
    {
      name: "more than one candidate: Conflict",
      given: {
        resource: ifExists,
        nameConflicts: [
          { row: unmarked(), claimedBy: undefined },
          { row: groupRow({ uid: anotherUid, description: "" }), claimedBy: undefined },
        ],
      },
      expected: stalls("Conflict", anotherUid),
    },
    {
      name: "a Conflict by name touches nothing: not even the finalizer is put on",
      given: {
        resource: groupResource({ metadata: { finalizers: [] } }),
        nameConflicts: [{ row: unmarked(), claimedBy: undefined }],
      },
      expected: stalls("Conflict"),
    },
  ]);
});

describe("one object, one owner", () => {
  judge([
    {
      name: "a uid that an elder object stands for is a Conflict",
      given: { resource: isReady, external: present(groupRow()), competingClaimant: "team/elder" },
      expected: stalls("Conflict", "Group elder stands"),
    },
    {
      name: "a thing with another's marker is never written",
      given: {
        resource: groupResource({ spec: { uid, name: "renamed" } }),
        references: resolved({ name: "renamed" }),
        external: present(groupRow({ description: withMarker("", foreignMarker) })),
      },
      expected: stalls("Conflict", "marker of another"),
    },
    {
      name: "what belongs to the operator itself is never managed",
      given: {
        resource: groupResource({ spec: { uid } }),
        external: present(unmarked()),
        isProtected: (one) => one === uid,
      },
      expected: stalls("Conflict", "never managed"),
    },
    {
      name: "spec.uid: adopted by spec, and nothing is written outside",
      given: { resource: groupResource({ spec: { uid } }), external: present(unmarked("by hand")) },
      expected: becomesReady,
    },
    {
      name: "spec.uid that is not below the named group is a mistake in the spec, and is not even read",
      given: { resource: groupResource({ spec: { uid: `${otherRoot}/4444444444444444` } }) },
      expected: stalls("InvalidSpec", "spec.uid"),
    },
    {
      name: "two carry our marker and this process made neither: the one in status is kept, and both are told",
      given: {
        resource: isReady,
        external: present(groupRow()),
        matches: [groupRow(), groupRow({ uid: anotherUid })],
      },
      expected: stalls("Conflict", anotherUid),
    },
    {
      name: "two carry our marker after a POST of ours with a lost answer: the other is deleted",
      given: {
        resource: isReady,
        external: present(groupRow()),
        matches: [groupRow(), groupRow({ uid: anotherUid })],
        postedHere: true,
        doublePosted: true,
      },
      expected: { do: "delete", uid: anotherUid },
    },
    {
      name: "two carry our marker, and every POST of ours was answered: the other is a copy by another hand, and is told",
      given: {
        resource: isReady,
        external: present(groupRow()),
        matches: [groupRow(), groupRow({ uid: anotherUid })],
        postedHere: true,
      },
      expected: stalls("Conflict", anotherUid),
    },
  ]);
});

describe("role bindings, which have no description to mark", () => {
  const row = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: "c".repeat(40), name: "viewer" } };
  const desired = { identityUid: anotherUid, roleUid: "c".repeat(40) };
  const references = resolved(desired);
  const never = bindingResource({ spec: { policy: { adoption: "Never" } } });
  judge([
    {
      name: "an equal one that no other object claims is taken",
      given: { resource: bindingResource(), references, matches: [row] },
      expected: becomesReady,
    },
    {
      name: "with adoption Never an equal one is a Conflict",
      given: { resource: never, references, matches: [row] },
      expected: stalls("Conflict", "adoption: IfExists"),
    },
    {
      name: "with adoption Never the one that this process has just made is taken all the same",
      given: { resource: never, references, matches: [row], postedHere: true },
      expected: becomesReady,
    },
    {
      name: "equal bindings beside it are no double",
      given: {
        resource: bindingResource({
          status: {
            ...ready,
            conditions: (ready.conditions ?? []).map((one) =>
              one.type === "Ready"
                ? { ...one, message: "The role binding exists on the platform as the spec says." }
                : one,
            ),
          },
        }),
        references,
        external: present(row),
        matches: [row, { ...row, uid: anotherUid }],
      },
      expected: { do: "done" },
    },
    {
      name: "none: it is made, without a description",
      given: { resource: bindingResource(), references },
      expected: { do: "create", body: desired },
    },
    {
      name: "roles that have not been read are read",
      given: { resource: bindingResource(), references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
  ]);
});
