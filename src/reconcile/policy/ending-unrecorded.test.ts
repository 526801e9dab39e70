import { describe, expect } from "vitest";
import { present, reports } from "./decision-cases.testing.ts";
import {
  deletedBinding,
  deletedGroup,
  deletionSeen,
  existing,
  itDecidesDeletion,
  released,
} from "./ending-cases.testing.ts";
import { anotherUid, externalGroup, marker, parent, ready, resolved, root, uid } from "./observed-fixture.testing.ts";

// Deletions of objects that recorded no uid, or that of an earlier resource, and of role bindings, which have equal ones that no object recorded.

const notFound = { are: "waiting", reason: "ReferenceNotFound", message: "" } as const;
const bornHere = { ...deletionSeen, bornHere: true };
const waiting = { ...deletionSeen, waitingSince: 18_000 };

describe("an object without a recorded uid", () => {
  itDecidesDeletion([
    {
      name: "is released at once if nothing was created",
      given: { resource: deletedGroup(), state: bornHere, snapshot: null, rootSnapshots: [] },
      expected: released,
    },
    {
      name: "is released at once if nothing was created, even if a reference is denied",
      given: {
        resource: deletedGroup(),
        state: bornHere,
        references: { are: "denied", message: "not in a root group" },
      },
      expected: released,
    },
    {
      name: "finds the resource of a request with a lost response by its marker and deletes it",
      given: { resource: deletedGroup(), matches: [externalGroup()] },
      expected: { do: "delete", uid },
    },
    {
      name: "lists all roots if a previous leader may have created the resource",
      given: { resource: deletedGroup(), rootSnapshots: [{ group: root, snapshot: null }] },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "waits for the settle time if this process may have created the resource",
      given: {
        resource: deletedGroup(),
        postUnknownSince: 19_000,
        state: { ...deletionSeen, posted: { naturalKey: marker } },
      },
      expected: { do: "wait" },
    },
    {
      name: "needs lists that started after another session created such a resource",
      given: {
        resource: deletedGroup(),
        createdElsewhereAt: 51,
        state: { ...bornHere, posted: { naturalKey: marker } },
      },
      expected: { do: "list", parent: root, startedAfter: 51, stable: false },
    },
    {
      name: "is released if stable lists of all roots lack the resource",
      given: {
        resource: deletedGroup(),
        postUnknownSince: 1_000,
        state: { ...bornHere, posted: { naturalKey: marker } },
        rootSnapshots: [{ group: root, snapshot: { startedAt: 17_000, stable: true } }],
      },
      expected: released,
    },
    {
      name: "is released if it has a marker, and the group that would contain it is gone",
      given: { resource: deletedGroup(), references: notFound, unrecorded: { is: "impossible" } },
      expected: released,
    },
    {
      name: "waits if it has a marker, and the kind of its group has not been read",
      given: {
        resource: deletedGroup(),
        references: { are: "unreadKind", kind: "Group", path: "spec.parentRef" },
        state: waiting,
        unrecorded: { is: "unknown" },
      },
      expected: reports("ReferenceNotReady", "spec.parentRef: the operator has not been able to read the Group"),
    },
  ]);
});

describe("a role binding without a recorded uid", () => {
  itDecidesDeletion([
    {
      name: "needs the roles, without which it cannot be identified",
      given: { resource: deletedBinding(), references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
    {
      name: "is released if its group, identity or role is gone",
      given: { resource: deletedBinding(), references: notFound, unrecorded: { is: "impossible" } },
      expected: released,
    },
    {
      name: "waits if the kind of its identity has not been read",
      given: {
        resource: deletedBinding(),
        references: { are: "unreadKind", kind: "Identity", path: "spec.identityRef" },
        state: waiting,
      },
      expected: reports("ReferenceNotReady", "spec.identityRef: the operator has not been able to read the Identity"),
    },
  ]);
});

describe("an object whose recorded resource is gone", () => {
  const gone = { ...existing, external: { is: "gone", at: 40 } } as const;
  const createdAgain = { ...externalGroup(), uid: anotherUid };
  const unlisted = [{ group: root, snapshot: null }];
  const deletedHere = { ...deletionSeen, deleting: uid };
  itDecidesDeletion([
    {
      name: "deletes what was created again and not recorded",
      given: { ...gone, matches: [createdAgain] },
      expected: { do: "delete", uid: anotherUid },
    },
    { name: "is released if lists of all roots show nothing else", given: gone, expected: released },
    {
      name: "lists all roots if an earlier process may have created the resource again",
      given: { ...gone, rootSnapshots: unlisted },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "waits for the settle time if this process may have created the resource again",
      given: { ...gone, postUnknownSince: 19_000, state: { ...deletedHere, posted: { naturalKey: marker } } },
      expected: { do: "wait" },
    },
    {
      name: "is released at once if this process deleted the resource, whatever else carries its marker",
      given: { ...gone, matches: [createdAgain], rootSnapshots: unlisted, state: deletedHere },
      expected: released,
    },
  ]);
});

describe("a role binding that equals the deleted object", () => {
  const role = { uid: "c".repeat(40), name: "viewer" };
  const equal = { uid, identity: { uid: anotherUid, name: "" }, role };
  const references = resolved({ identityUid: anotherUid, roleUid: role.uid });
  const given = { resource: deletedBinding(), references, matches: [equal] };
  itDecidesDeletion([
    { name: "is kept if it existed before the object", given: { ...given, state: bornHere }, expected: released },
    {
      name: "is deleted if this process created it",
      given: { ...given, state: { ...bornHere, posted: { naturalKey: `${parent} ${anotherUid} ${role.uid}` } } },
      expected: { do: "delete", uid },
    },
    {
      name: "is deleted after a restart: an earlier process may have created it",
      given,
      expected: { do: "delete", uid },
    },
    {
      name: "is left to another object that wants it, whoever created it",
      given: { ...given, wantedByOthers: [uid] },
      expected: released,
    },
    {
      name: "is left to another object that wants it, although this process created it",
      given: {
        ...given,
        wantedByOthers: [uid],
        state: { ...bornHere, posted: { naturalKey: `${parent} ${anotherUid} ${role.uid}` } },
      },
      expected: released,
    },
    {
      name: "is not left to another object once it was recorded",
      given: {
        ...given,
        resource: deletedBinding({ status: ready }),
        external: present(equal),
        wantedByOthers: [uid],
      },
      expected: { do: "delete", uid },
    },
    {
      name: "is read first if another object may have deleted it",
      given: { ...given, readTimes: [] },
      expected: { do: "read", uid },
    },
    ...(["breakGlass", "otherOwner"] as const).map((because) => ({
      name: `is kept after a restart if the object could not take it over: ${because}`,
      given: { ...given, protections: [{ uid, because }] },
      expected: { do: "report", about: "object", event: { type: "Warning", reason: "Orphaned" } },
    })),
    {
      name: "is kept if this process deleted the object's own",
      given: {
        ...given,
        resource: deletedBinding({ status: { ...ready, uid: anotherUid } }),
        external: { is: "gone", at: 40 },
        state: { ...deletionSeen, deleting: anotherUid },
      },
      expected: released,
    },
    {
      name: "is reported in the event if it remains",
      given: {
        ...given,
        resource: deletedBinding({ status: ready }),
        external: present(equal),
        matches: [equal, { ...equal, uid: anotherUid }],
      },
      expected: { do: "delete", uid, event: { note: expect.stringContaining(anotherUid) } },
    },
  ]);
});
