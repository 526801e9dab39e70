import { describe, expect, it } from "vitest";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Row } from "#src/platform-client/rows.ts";
import { attemptOf } from "./conclude.ts";
import { decide } from "./decide.ts";
import { withMarker } from "./marker.ts";
import type { Memory } from "./memory.ts";
import type { Observed } from "./observed.ts";
import {
  anotherUid,
  bindingResource,
  earlierMarker,
  foreignMarker,
  groupResource,
  groupRow,
  marker,
  memory,
  notReady,
  observed,
  otherRoot,
  parent,
  ready,
  refusal,
  resolved,
  root,
  uid,
} from "./observed-fixture.ts";

interface Case {
  readonly name: string;
  readonly given: Partial<Observed>;
  readonly expected: object;
}

/** The status write that tells `reason`, with a part of its message. */
function tells(reason: string, message = "", more: object = {}) {
  return {
    do: "writeStatus",
    patch: {
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason, message: expect.stringContaining(message) }),
      ]),
      ...more,
    },
  };
}
function stalls(reason: string, message = "") {
  return {
    do: "writeStatus",
    patch: {
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Stalled", status: "True", reason, message: expect.stringContaining(message) }),
      ]),
    },
  };
}

const long: Memory = { ...memory, waitingSince: 0 };
const present = (row: Row, seenAt = 60): Observed["external"] => ({ is: "present", row, seenAt });
const unmarked = (description = "") => groupRow({ description });
const recorded = { status: ready };
const isReady = groupResource(recorded);
const becomesReady = {
  do: "writeStatus",
  patch: {
    uid,
    parentUid: parent,
    conditions: expect.arrayContaining([expect.objectContaining({ type: "Ready", status: "True" })]),
  },
};

function judge(cases: readonly Case[]) {
  it.each(cases)("$name", ({ given, expected }) => {
    expect(decide(observed(given))).toMatchObject(expected);
  });
}

describe("creating", () => {
  judge([
    {
      name: "the finalizer stands before anything exists outside",
      given: { resource: groupResource({ metadata: { finalizers: [] } }) },
      expected: { do: "addFinalizer" },
    },
    {
      name: "what is looked up is not there: it is made, with the marker at the end of its description",
      given: { references: resolved({ name: "payments", description: "the shop's" }) },
      expected: {
        do: "create",
        parent,
        body: { name: "payments", description: withMarker("the shop's", marker) },
        announce: { reason: "Created" },
      },
    },
    {
      name: "a parent that nobody has listed is listed first",
      given: { listing: undefined },
      expected: { do: "lookUp", parent, begunAfter: 10, steady: false },
    },
    {
      name: "a snapshot from before this process took the lead proves nothing",
      given: { listing: { begunAt: 9, steady: true } },
      expected: { do: "lookUp", begunAfter: 10 },
    },
    {
      name: "for an object without uid, absence is believed only after the settle time of a new lead",
      given: { settledAt: 30_000 },
      expected: { do: "wait" },
    },
    {
      name: "where adoption is IfExists, the snapshot begins after the object was first seen",
      given: {
        resource: groupResource({ spec: { policy: { adoption: "IfExists" } } }),
        memory: { ...memory, firstSeenAt: 51 },
      },
      expected: { do: "lookUp", begunAfter: 51 },
    },
    {
      name: "after a POST of unknown outcome nothing is believed before the settle time",
      given: { postUnknownSince: 19_000, memory: long },
      expected: tells("Creating", "can no longer take effect"),
    },
    {
      name: "after it, only a list that is begun later and that nothing disturbed",
      given: { postUnknownSince: 1_000 },
      expected: { do: "lookUp", begunAfter: 16_000, steady: true },
    },
    {
      name: "a list during which the total changed is repeated",
      given: { postUnknownSince: 1_000, listing: { begunAt: 17_000, steady: false } },
      expected: { do: "lookUp", begunAfter: 16_000, steady: true },
    },
    {
      name: "a steady list after the settle time proves it: it is made again",
      given: { postUnknownSince: 1_000, listing: { begunAt: 17_000, steady: true } },
      expected: { do: "create" },
    },
    {
      name: "a group that this process has just created has no children but what this process made",
      given: { parentIsFresh: true, listing: undefined },
      expected: { do: "create" },
    },
    {
      name: "unless a POST there had an unknown outcome",
      given: { parentIsFresh: true, listing: undefined, postUnknownSince: 1_000 },
      expected: { do: "lookUp", begunAfter: 16_000, steady: true },
    },
    {
      name: "after a crash the thing is found by its marker, and its uid is taken",
      given: { matches: [groupRow()] },
      expected: becomesReady,
    },
    {
      name: "what an earlier owner marked is ours",
      given: { matches: [groupRow({ description: withMarker("", earlierMarker) })] },
      expected: becomesReady,
    },
    {
      name: "the finalizer stands before a thing is taken over, too",
      given: { resource: groupResource({ metadata: { finalizers: [] } }), matches: [groupRow()] },
      expected: { do: "addFinalizer" },
    },
  ]);
});

describe("of the same name", () => {
  const ifExists = groupResource({ spec: { policy: { adoption: "IfExists" } } });
  judge([
    {
      name: "another's marker: Conflict",
      given: {
        namesakes: [{ row: groupRow({ description: withMarker("", foreignMarker) }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", "Choose another name"),
    },
    {
      name: "another's marker: Conflict, whatever adoption says",
      given: {
        resource: ifExists,
        namesakes: [{ row: groupRow({ description: withMarker("", foreignMarker) }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", "another Muster"),
    },
    {
      name: "another object's: Conflict, and it is named",
      given: { resource: ifExists, namesakes: [{ row: unmarked(), claimedBy: "team/other" }] },
      expected: stalls("Conflict", "managed by Group other"),
    },
    {
      name: "one in another namespace: Conflict, without a word of what is there",
      given: { resource: ifExists, namesakes: [{ row: unmarked(), claimedBy: "secret-team/secret-name" }] },
      expected: stalls("Conflict", "managed by a Group in another namespace"),
    },
    {
      name: "unmarked, adoption Never: Conflict, with both ways out",
      given: { namesakes: [{ row: unmarked(), claimedBy: undefined }] },
      expected: stalls("Conflict", `spec.uid: ${uid}`),
    },
    {
      name: "unmarked, adoption IfExists: taken, and adopting writes nothing outside",
      given: { resource: ifExists, namesakes: [{ row: unmarked("by hand"), claimedBy: undefined }] },
      expected: { ...becomesReady, announce: { reason: "Adopted" } },
    },
    {
      name: "more than one candidate: Conflict",
      given: {
        resource: ifExists,
        namesakes: [
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
        namesakes: [{ row: unmarked(), claimedBy: undefined }],
      },
      expected: stalls("Conflict"),
    },
  ]);
});

describe("one object, one owner", () => {
  judge([
    {
      name: "a uid that an elder object stands for is a Conflict",
      given: { resource: isReady, external: present(groupRow()), rival: "team/elder" },
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
      expected: { do: "readAccess" },
    },
  ]);
});

describe("at rest", () => {
  judge([
    {
      name: "what is as the spec says is done",
      given: { resource: isReady, external: present(groupRow()) },
      expected: { do: "done" },
    },
    {
      name: "a field that the spec does not set is left alone",
      given: {
        resource: isReady,
        external: present(groupRow({ description: withMarker("by hand", marker) })),
      },
      expected: { do: "done" },
    },
    {
      name: "after a restart a recorded uid is looked for in a list that serves all",
      given: { resource: isReady, external: { is: "unknown" }, listing: undefined },
      expected: { do: "lookUp", parent, begunAfter: 0, steady: false },
    },
    {
      name: "gone from a snapshot is a hint: it is read",
      given: { resource: isReady, external: { is: "doubted" } },
      expected: { do: "read", uid },
    },
    {
      name: "an operator that cannot read says nothing of an object that was Ready: it keeps its last truth",
      given: {
        resource: isReady,
        external: { is: "unknown" },
        memory: {
          ...long,
          failure: {
            step: "lookUp",
            detail: { kind: "unanswered", problem: "connection refused" },
            attemptOf: attemptOf(observed({ resource: isReady })),
            attempts: 5,
            at: 19_000,
            retryAt: 25_000,
          },
        },
      },
      expected: { do: "wait", until: 25_000 },
    },
    {
      name: "a wish for a reconcile reads it anew",
      given: { resource: isReady, external: present(groupRow(), 60), request: { value: "now", seenAt: 70 } },
      expected: { do: "read", uid },
    },
    {
      name: "and is answered in the status",
      given: { resource: isReady, external: present(groupRow(), 80), request: { value: "now", seenAt: 70 } },
      expected: { do: "writeStatus", patch: { lastHandledReconcileAt: "now" } },
    },
    {
      name: "paused: nothing is looked at, and the status says so",
      given: { resource: groupResource({ metadata: { annotations: { [pausedAnnotation]: "true" } } }) },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: expect.arrayContaining([expect.objectContaining({ status: "Unknown", reason: "Paused" })]),
        },
      },
    },
    {
      name: "a spec that does not fit its schema is shown",
      given: {
        invalid: "spec.name: too long",
        references: { are: "waiting", reason: "ReferenceNotFound", message: "" },
      },
      expected: stalls("InvalidSpec", "spec.name: too long"),
    },
  ]);
});

describe("an edit", () => {
  const edited = groupResource({
    metadata: { generation: 2 },
    spec: { name: "billing" },
    status: ready,
  });
  const references = resolved({ name: "billing" });
  judge([
    {
      name: "only what differs is written",
      given: { resource: edited, references, external: present(groupRow()) },
      expected: { do: "update", uid, body: { name: "billing" }, mask: ["name"], correction: false },
    },
    {
      name: "and then the status tells the new generation",
      given: { resource: edited, references, external: present(groupRow({ name: "billing" })) },
      expected: { do: "writeStatus", patch: { observedGeneration: 2 } },
    },
    {
      name: "an edit is never taken for drift, whatever the policy",
      given: {
        resource: groupResource({
          metadata: { generation: 2 },
          spec: { name: "billing", policy: { drift: "Report" } },
          status: ready,
        }),
        references,
        external: present(groupRow()),
      },
      expected: { do: "update", correction: false },
    },
    {
      name: "a platform that answers 200 and keeps another value is not written to again and again",
      given: {
        resource: edited,
        references,
        external: present(groupRow({ name: "payments" }), 19_000),
        memory: {
          ...memory,
          update: {
            attemptOf: attemptOf(observed({ resource: edited })),
            drift: [{ field: "name", expected: "billing", actual: "payments" }],
            at: 19_000,
          },
        },
      },
      expected: stalls("PreconditionFailed", "spec.name"),
    },
  ]);
});

describe("drift", () => {
  const references = resolved({ name: "payments", description: "the shop's" });
  const drifted = groupRow({ description: withMarker("by hand", marker) });
  const report = groupResource({ spec: { policy: { drift: "Report" } }, status: ready });
  judge([
    {
      name: "is corrected, and the marker is kept",
      given: { resource: isReady, references, external: present(drifted) },
      expected: {
        do: "update",
        body: { description: withMarker("the shop's", marker) },
        mask: ["description"],
        correction: true,
        announce: { reason: "DriftCorrected" },
      },
    },
    {
      name: "or reported, field by field, without the marker",
      given: { resource: report, references, external: present(drifted), memory: long },
      expected: {
        ...tells("DriftDetected", "left so", {
          drift: [{ field: "description", expected: "the shop's", actual: "by hand" }],
        }),
        announce: { type: "Warning", reason: "DriftDetected" },
      },
    },
    {
      name: "three corrections in an hour: somebody fights, so it waits and warns",
      given: {
        resource: isReady,
        references,
        external: present(drifted),
        memory: { ...long, corrections: [1_000, 2_000, 3_000] },
      },
      expected: tells("DriftDetected", "who else manages it"),
    },
    {
      name: "and goes on when the hour is over",
      given: {
        resource: groupResource({ status: { ...notReady("DriftDetected", { uid }) } }),
        references,
        external: present(drifted),
        memory: { ...long, corrections: [1_000, 2_000, 3_000] },
        now: 3_601_001,
      },
      expected: { do: "update", correction: true },
    },
    {
      name: "a marker that another hand took from what we made is put back",
      given: { resource: isReady, external: present(unmarked("by hand")) },
      expected: { do: "update", body: { description: withMarker("by hand", marker) }, correction: true },
    },
    {
      name: "a marker is never put on what was adopted",
      given: {
        resource: groupResource({ spec: { policy: { adoption: "IfExists" } }, status: ready }),
        external: present(unmarked("by hand")),
      },
      expected: { do: "done" },
    },
    {
      name: "the parent has another uid now and the thing still stands: ParentChanged",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: present(groupRow()),
      },
      expected: stalls("ParentChanged", "Delete that one"),
    },
    {
      name: "the parent has another uid and nobody knows of the old one: it is looked for where it was",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
      },
      expected: { do: "lookUp", parent },
    },
    {
      name: "the parent has another uid and the old one lies where the operator may not look: ParentChanged",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "unknown" },
        isWithinRoots: () => false,
      },
      expected: stalls("ParentChanged"),
    },
    {
      name: "the child is made anew only when the old one is proven gone",
      given: {
        resource: isReady,
        references: { ...resolved(), uids: { parent: `${root}/9999999999999999` } } as Observed["references"],
        external: { is: "gone" },
      },
      expected: { do: "create", parent: `${root}/9999999999999999` },
    },
  ]);
});

describe("gone from the platform", () => {
  judge([
    {
      name: "is made anew",
      given: { resource: isReady, external: { is: "gone" } },
      expected: { do: "create", parent },
    },
    {
      name: "is reported, where drift is Report",
      given: {
        resource: groupResource({ spec: { policy: { drift: "Report" } }, status: ready }),
        external: { is: "gone" },
        memory: long,
      },
      expected: tells("ExternalGone", "not made anew"),
    },
    {
      name: "is not made anew where spec.uid named it",
      given: { resource: groupResource({ spec: { uid }, status: ready }), external: { is: "gone" } },
      expected: stalls("ExternalGone", "leave spec.uid out"),
    },
    {
      name: "meets the same conflicts as what is made for the first time",
      given: {
        resource: isReady,
        external: { is: "gone" },
        namesakes: [{ row: groupRow({ uid: anotherUid, description: "" }), claimedBy: undefined }],
      },
      expected: stalls("Conflict", anotherUid),
    },
    {
      name: "together with many others: nothing is made anew until a person agrees",
      given: { resource: isReady, external: { is: "gone" }, heldByBreaker: true, memory: long },
      expected: tells("ExternalGone", "reconcile-requested-at"),
    },
    {
      name: "together with many others: it is not even read one by one",
      given: { resource: isReady, external: { is: "doubted" }, heldByBreaker: true, memory: long },
      expected: tells("ExternalGone", "reconcile-requested-at"),
    },
    {
      name: "together with many others, and a person agrees",
      given: {
        resource: isReady,
        external: { is: "gone" },
        heldByBreaker: true,
        request: { value: "yes", seenAt: 100 },
      },
      expected: { do: "create" },
    },
  ]);
});

describe("waiting", () => {
  const waiting: Observed["references"] = { are: "waiting", reason: "ReferenceNotFound", message: "there is none" };
  judge([
    {
      name: "a wait that has only begun is not written",
      given: { references: waiting },
      expected: { do: "wait", until: 22_000 },
    },
    {
      name: "it is written once it has lasted 2 s, as Reconciling",
      given: { references: waiting, memory: { ...memory, waitingSince: 18_000 } },
      expected: {
        do: "writeStatus",
        patch: {
          conditions: [
            { type: "Ready", status: "False", reason: "ReferenceNotFound" },
            { type: "Reconciling", status: "True" },
            { type: "ReferencesResolved", status: "False" },
          ],
        },
      },
    },
    {
      name: "what may not be used is shown at once",
      given: { references: { are: "denied", message: "not in a root group" } },
      expected: {
        ...stalls("TenantDenied", "not in a root group"),
        announce: { type: "Warning", reason: "TenantDenied" },
      },
    },
  ]);
});

describe("a refusal", () => {
  const edited = groupResource({ metadata: { generation: 2 } });
  const failed = (failure: Partial<NonNullable<Memory["failure"]>>): Partial<Observed> => ({
    memory: {
      ...long,
      failure: {
        step: "create",
        detail: { kind: "refused", error: refusal("INVALID_ARGUMENT") },
        attemptOf: attemptOf(observed()),
        attempts: 1,
        at: 19_000,
        retryAt: 40_000,
        ...failure,
      },
    },
  });
  judge([
    {
      name: "is not tried again before its time",
      given: failed({}),
      expected: stalls("InvalidSpec"),
    },
    { name: "is tried again when its time has come", given: failed({ retryAt: 20_000 }), expected: { do: "create" } },
    {
      name: "of another generation does not count",
      given: failed({ attemptOf: attemptOf(observed({ resource: edited })) }),
      expected: { do: "create" },
    },
    {
      name: "under another token does not count",
      given: { ...failed({}), credentialEpoch: 2 },
      expected: { do: "create" },
    },
    {
      name: "with ALREADY_EXISTS is followed by a look at what is there",
      given: failed({ detail: { kind: "refused", error: refusal("ALREADY_EXISTS") } }),
      expected: { do: "lookUp", begunAfter: 19_000 },
    },
    {
      name: "with ALREADY_EXISTS is a Conflict where nothing of ours is found",
      given: {
        ...failed({ detail: { kind: "refused", error: refusal("ALREADY_EXISTS") } }),
        listing: { begunAt: 19_500, steady: true },
      },
      expected: stalls("Conflict"),
    },
  ]);
});
