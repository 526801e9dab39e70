import { describe, expect, it } from "vitest";
import type { GroupInvite } from "#src/api/group-invite.ts";
import type { References } from "#src/reconcile/observe/observed.ts";
import { decide } from "./decide.ts";
import {
  emptyState,
  inviteResource,
  justRead,
  kindOf,
  type ObservedParts,
  observed,
  parent,
  platformError,
  root,
  uid,
} from "./observed-fixture.testing.ts";

// Objects whose resource, if there is one, only the Secret names.

const viewer = "c".repeat(40);
const time = "2026-02-02T02:02:02Z";

const invite = (metadata: Partial<GroupInvite["metadata"]>, expiresAt: string) =>
  inviteResource({ metadata, spec: { roleUid: viewer, expiresAt } });

const deleted = invite({ deletionTimestamp: time }, "2027-01-01T00:00:00Z");
const expired = invite({}, time);
const fields = { roleUid: viewer, email: "", singleUse: true };
const uids = { parent, role: viewer };
const found: References = { are: "resolved", uids, granted: [], desired: fields, naturalKey: "key" };
const refusal = {
  code: 403,
  message: 'get secrets: User "system:serviceaccount:ops:muster" cannot get resource "secrets"',
  attemptOf: `1 ${time} `,
  attempts: 1,
  retryAt: 30_000,
};
const refused = (resource: GroupInvite) => ({
  ...emptyState,
  waitingSince: 0,
  refusals: { readSecret: { ...refusal, attemptOf: [1, resource.metadata.deletionTimestamp, undefined].join(" ") } },
});
const step = (resource: GroupInvite, parts: ObservedParts) => {
  const input = observed({ resource, references: found, ...parts });
  return decide(input, kindOf(input)).step;
};

describe("an object with a Secret that may not be read", () => {
  const unread = (resource: GroupInvite, parts: ObservedParts = {}) =>
    step(resource, { state: refused(resource), ...parts });

  it.each<[string, ObservedParts, object]>([
    ["it never created anything", { state: { ...refused(deleted), bornHere: true } }, { do: "removeFinalizer" }],
    ["which Secret an invalid spec named is not known", { invalid: "spec: no" }, { do: "removeFinalizer" }],
    [
      "this process knows what it created",
      {
        state: { ...refused(deleted), issued: { uid } },
        claim: { uid, external: { is: "unknown" }, claimedBy: null, heldByBreaker: false },
      },
      { do: "list", parent: root },
    ],
    [
      "the status records what it created",
      { resource: { ...deleted, status: { observedGeneration: 1, uid, parentUid: parent, management: "Created" } } },
      { do: "list", parent: root },
    ],
    [
      "the status records that it is gone",
      { resource: { ...deleted, status: { observedGeneration: 1, management: "Created" } } },
      { do: "removeFinalizer" },
    ],
  ])("is not needed where %s", (_, parts, expected) => {
    expect(unread(deleted, parts)).toMatchObject(expected);
  });

  it("is not enough to let go of an object of which a POST may take effect", () => {
    const posted = { naturalKey: "key" };
    const state = { ...emptyState, bornHere: true, posted };
    expect(step(deleted, { state })).toMatchObject({ do: "report", event: { reason: "Orphaned" } });
    expect(step(deleted, { state: { ...emptyState, bornHere: true } })).toEqual({ do: "removeFinalizer" });
  });

  it("may have been written by an earlier process until its requests are settled", () => {
    expect(unread(deleted, { settledAt: 20_001 })).toMatchObject({ do: "writeStatus" });
    const reported = { ...emptyState, waitingSince: 20_000 };
    expect(step(deleted, { state: reported, settledAt: 20_001 })).toEqual({ do: "wait", until: 20_001 });
    expect(step(deleted, { state: reported, settledAt: 20_000 })).toMatchObject({ do: "readSecret" });
  });

  it("stays, and prints what grants the right", () => {
    const written = unread(deleted);
    expect(written).toMatchObject({ do: "writeStatus" });
    expect(JSON.stringify(written)).toContain("--resource-name=ada && kubectl create rolebinding");
    expect(JSON.stringify(written)).toContain("--serviceaccount=ops:muster");
  });

  it("goes, and says so, where nobody can grant it any longer", () => {
    const event = { type: "Warning", reason: "Orphaned" };
    const gone: References = { are: "waiting", reason: "ReferenceNotFound", message: "" };
    expect(unread(deleted, { namespaceIsTerminating: true })).toMatchObject({
      do: "report",
      about: "namespace",
      event,
    });
    expect(unread(deleted, { references: gone })).toMatchObject({ do: "report", event });
  });

  it("is reported as Expired, with what grants the right", () => {
    const written = unread(expired);
    expect(written).toMatchObject({ do: "writeStatus", patch: { conditions: [{ reason: "Expired" }, {}, {}] } });
    expect(JSON.stringify(written)).toContain("kubectl create role");
  });

  it("is reported as Expired without that if it never created anything", () => {
    const written = unread(invite({ finalizers: [] }, time));
    expect(JSON.stringify(written)).toContain("has no group invite on the platform");
  });
});

describe("a resource that only the Secret names", () => {
  const secret = {
    is: "found",
    readAt: 19_000,
    uid: "s",
    resourceVersion: "1",
    issuer: "",
    unusable: null,
    isEmpty: false,
    issuedUid: uid,
    writable: false,
  } as const;
  const resource = { uid, role: { uid: viewer, name: "viewer" }, email: "", singleUse: true };
  const claim = {
    uid,
    external: { is: "present", resource, seenAt: justRead },
    claimedBy: null,
    heldByBreaker: false,
  } as const;
  const readAt = (seenAt: number) => ({ ...claim, external: { ...claim.external, seenAt } });
  const named = (parts: ObservedParts) => step(deleted, { secret, claim, ...parts });
  const waits: References = { are: "waiting", reason: "ReferenceNotReady", message: "spec.groupRef: soon." };
  const identified = {
    is: "identified",
    group: parent,
    isListable: true,
    snapshot: null,
    found: [],
    kept: [],
  } as const;

  it("is deleted if it is what the spec describes, also if the Tenant does not permit that any longer", () => {
    expect(named({})).toMatchObject({ do: "delete", uid });
    const references: References = { are: "denied", message: "denied" };
    expect(named({ references, unrecorded: { ...identified, uids } })).toMatchObject({ do: "delete", uid });
  });

  it("is left to the object that has recorded it", () => {
    const claimed = { ...claim, claimedBy: "team/eve" };
    expect(named({ claim: claimed })).toEqual({ do: "removeFinalizer" });
    expect(step(expired, { secret, claim: claimed })).toMatchObject({
      do: "writeStatus",
      patch: { management: "Created", conditions: [{ reason: "Expired" }, {}, {}] },
    });
  });

  it("is left to another object with the same Secret, which may have created it", () => {
    expect(named({ wantedByOthers: [uid] })).toEqual({ do: "removeFinalizer" });
    expect(step(expired, { secret, claim, wantedByOthers: [uid] })).toMatchObject({
      do: "writeStatus",
      patch: { management: "Created", conditions: [{ reason: "Expired" }, {}, {}] },
    });
    // What the status records is the object's, whoever has the Secret.
    const status = { observedGeneration: 1, uid, parentUid: parent, roleUid: viewer, management: "Created" } as const;
    expect(step({ ...deleted, status }, { secret, claim, wantedByOthers: [uid] })).toMatchObject({ do: "delete", uid });
  });

  it("is deleted though the Secret may not be read any longer", () => {
    const state = { ...refused(deleted), refusals: { readSecret: { ...refusal, retryAt: 90_000 } } };
    const given = { state, now: 60_000, claim: readAt(59_000), crd: { readAt: 59_000, deleting: false } };
    expect(named(given)).toMatchObject({ do: "delete", uid });
  });

  it("is left where the object may not delete it, and goes with a warning", () => {
    const left = { do: "report", event: { reason: "Orphaned" } };
    expect(named({ rootSnapshots: [] })).toMatchObject(left);
  });

  it("is left with a warning where nobody can resolve what the spec refers to any longer", () => {
    const given = { references: waits, state: { ...emptyState, waitingSince: 0 } };
    expect(named({ ...given, namespaceIsTerminating: true })).toMatchObject({
      do: "report",
      event: { reason: "Orphaned" },
    });
  });

  it("is not deleted while only some of what the spec refers to is known", () => {
    const references: References = { are: "denied", message: "denied" };
    expect(named({ references, unrecorded: { ...identified, uids: { parent } } })).toMatchObject({ do: "writeStatus" });
  });

  it("is left if it is something else", () => {
    const external = { ...claim.external, resource: { ...resource, email: "eve@example.com" } };
    expect(named({ claim: { ...claim, external } })).toEqual({ do: "removeFinalizer" });
  });

  it.each<[string, References, object]>([
    ["waits for a reference", waits, { do: "writeStatus" }],
    ["waits for the right to a kind", { are: "unreadKind", kind: "Role", path: "spec.roleRef" }, { do: "writeStatus" }],
    ["reads the roles", { are: "unread" }, { do: "refreshPermissions" }],
    ["waits for the Tenant", { are: "denied", message: "denied" }, { do: "writeStatus" }],
    ["ends if its references can never be resolved", { are: "invalid", message: "a cycle" }, { do: "report" }],
  ])("%s while it is not known what the spec describes", (_, references, expected) => {
    expect(named({ references, state: { ...emptyState, waitingSince: 0 } })).toMatchObject(expected);
  });

  it("is not read again within 30 seconds, and then is", () => {
    const failure = {
      step: "delete",
      problem: { kind: "rejected", error: platformError("FAILED_PRECONDITION") },
      attemptOf: "",
      attempts: 1,
      at: 0,
      retryAt: 0,
    } as const;
    const state = { ...emptyState, failure };
    const given = { state, now: 48_999, claim: readAt(48_000), crd: { readAt: 48_000, deleting: false } };
    expect(named(given)).toMatchObject({ do: "delete" });
    expect(named({ state, now: 49_000 })).toMatchObject({ do: "readSecret" });
  });
});
