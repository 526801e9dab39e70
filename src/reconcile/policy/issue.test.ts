import { describe, expect, it } from "vitest";
import { finalizer } from "#src/api/custom-resource.ts";
import type { Status } from "#src/api/status.ts";
import type { ExternalResource, References, SecretRead } from "#src/reconcile/observe/observed.ts";
import { seconds } from "#src/time/durations.ts";
import { type DecisionCase, itDecides, present, reports, reportsStalled, stepFor } from "./decision-cases.testing.ts";
import {
  anotherUid,
  emptyState,
  inviteResource,
  justRead,
  type ObservedParts,
  otherRoot,
  parent,
  ready,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

// A kind that issues codes: how a group invite is created, and what is said of the one that exists.

const viewer = "c".repeat(40);
const expiresAt = "2026-02-03T02:02:02.222Z";
const at = { namespace: "team", name: "ada", key: "code" };

const invite = (status?: Status, finalizers = [finalizer]) =>
  inviteResource({
    metadata: { finalizers },
    spec: { roleUid: viewer, email: "ada@example.com", expiresAt },
    ...(status === undefined ? {} : { status }),
  });

const fields = { roleUid: viewer, email: "ada@example.com", singleUse: true };
const uids = { parent, role: viewer };
const references: References = { are: "resolved", uids, granted: [], desired: fields, naturalKey: "key" };
const external = {
  uid,
  role: { uid: viewer, name: "viewer" },
  email: "ada@example.com",
  singleUse: true,
  expirationTime: expiresAt,
};

const like = (others: object): ExternalResource => ({ ...external, ...others });

const readAt = 19_000;
const empty: SecretRead & { is: "found" } = {
  is: "found",
  readAt,
  uid: "s",
  resourceVersion: "1",
  issuer: "",
  unusable: null,
  isEmpty: true,
  issuedUid: null,
  writable: true,
};
const missing: SecretRead = { is: "missing", readAt, writable: true };
const used: SecretRead = { ...empty, isEmpty: false };
const held: SecretRead = { ...used, issuedUid: uid };
const waiting = { ...emptyState, waitingSince: 0 };
const refused = (step: "readSecret" | "checkSecret" | "writeSecret", code = 403) => ({
  ...waiting,
  refusals: { [step]: { code, message: "no", attemptOf: "1  ", attempts: 1, retryAt: 60_000 } },
});

const given = (parts: ObservedParts = {}): ObservedParts => ({
  resource: invite(),
  references,
  secret: empty,
  ...parts,
});
const reads = { do: "readSecret", at };
const creates = { do: "create", parent };

describe("the creation of a group invite", () => {
  itDecides([
    {
      name: "requests what the spec says, with the time that is left",
      given: given(),
      expected: {
        do: "create",
        parent,
        body: { ...fields, ttl: "86400s" },
        naturalKey: "key",
        event: { type: "Normal", reason: "Created" },
      },
    },
    { name: "reads the Secret first", given: given({ secret: null }), expected: reads },
    {
      name: "uses what was read of the Secret for half a minute",
      given: given({ now: readAt + seconds(30) - 1 }),
      expected: creates,
    },
    { name: "reads the Secret again after that", given: given({ now: readAt + seconds(30) }), expected: reads },
    {
      name: "reads the Secret again that an earlier process may have written since",
      given: given({ settledAt: readAt + 1, snapshot: { startedAt: readAt + 1, stable: true } }),
      expected: reads,
    },
    {
      name: "uses a Secret that was read when no earlier process could write it any longer",
      given: given({ settledAt: readAt, snapshot: { startedAt: readAt, stable: true } }),
      expected: creates,
    },
    {
      name: "reads the Secret again for a request",
      given: given({ request: { value: "now", seenAt: readAt + 1 } }),
      expected: reads,
    },
    {
      name: "tries first whether the Secret may be written",
      given: given({ secret: { ...empty, writable: false } }),
      expected: { do: "checkSecret", at, version: { uid: "s", resourceVersion: "1" } },
    },
    {
      name: "says nothing of a missing Secret that it may not write",
      given: given({ secret: { ...missing, writable: false } }),
      expected: { do: "checkSecret", at, version: null },
    },
    {
      name: "waits for the Secret, and says how to make it",
      given: given({ secret: missing, state: waiting }),
      expected: reports("ReferenceNotFound", "kubectl create secret"),
    },
    {
      name: "waits for a Secret that is empty",
      given: given({ secret: used, state: waiting }),
      expected: reports("Conflict", "Secret ada is not empty"),
    },
    ...(["readSecret", "checkSecret"] as const).map((call) => ({
      name: `waits if Kubernetes refuses ${call}`,
      given: given({ state: refused(call) }),
      expected: reports("KubernetesForbidden", "may not read and write Secret ada: no. Change"),
    })),
    {
      name: "says that attempts are rare if only the write itself is refused",
      given: given({ state: refused("writeSecret") }),
      expected: reports("KubernetesForbidden", "Only the write itself is refused"),
    },
    {
      name: "waits if others change the Secret all the time",
      given: given({ state: refused("writeSecret", 409) }),
      expected: reports("Conflict", "was changed while its code was about to be written"),
    },
    {
      name: "waits for an object that names the same Secret and comes first",
      given: given({ rival: "team/eve" }),
      expected: reportsStalled("Conflict", "GroupInvite eve already uses Secret ada and takes precedence"),
    },
    {
      name: "lists what an earlier process may have created",
      given: given({ snapshot: null }),
      expected: { do: "list", parent },
    },
    { name: "reads the role first", given: given({ roleToRead: viewer }), expected: { do: "readRole", role: viewer } },
    {
      name: "adds the finalizer first",
      given: given({ resource: invite(undefined, []) }),
      expected: { do: "addFinalizer" },
    },
    {
      name: "says that an equal one may be what an earlier request created",
      given: given({ matches: [like({ uid: anotherUid })] }),
      expected: {
        ...creates,
        event: { type: "Warning", reason: "Orphaned", note: expect.stringContaining(`${anotherUid}: an earlier`) },
      },
    },
    {
      name: "does not blame one that expires at another time",
      given: given({ matches: [like({ uid: anotherUid, expirationTime: "2026-02-03T02:07:02.223Z" })] }),
      expected: { ...creates, event: { type: "Normal", reason: "Created" } },
    },
    {
      name: "allows for clocks that differ by five minutes",
      given: given({ matches: [like({ uid: anotherUid, expirationTime: "2026-02-03T02:07:02.222Z" })] }),
      expected: { ...creates, event: { reason: "Orphaned" } },
    },
    {
      name: "says that the outcome of its own earlier request is unknown",
      given: given({ state: { ...emptyState, posted: { naturalKey: "key" } } }),
      expected: { ...creates, event: { reason: "Orphaned", note: expect.stringContaining("outcome") } },
    },
    {
      name: "is not repeated if the platform makes something else of it",
      given: given({ state: { ...emptyState, altered: { attemptOf: attempt(1), drift: [altered()] } } }),
      expected: reportsStalled("InvalidSpec", 'email is "x" instead of "ada@example.com"'),
    },
    {
      name: "is tried again for another spec",
      given: given({ state: { ...emptyState, altered: { attemptOf: attempt(0), drift: [altered()] } } }),
      expected: creates,
    },
  ]);

  it("names at most ten that it may have created", () => {
    const matches = Array.from({ length: 11 }, (_, index) => like({ uid: `${parent}/${index}` }));
    const created = stepFor(given({ matches }));
    expect(created).toMatchObject({ event: { note: expect.stringContaining(`${parent}/9: an earlier`) } });
    expect(JSON.stringify(created)).not.toContain(`${parent}/10`);
  });

  it("does not say that only the write is refused if its dry run is, too", () => {
    const refusals = { ...refused("writeSecret").refusals, ...refused("checkSecret").refusals };
    expect(JSON.stringify(stepFor(given({ state: { ...waiting, refusals } })))).not.toContain("Only the write itself");
  });

  it("waits until the Secret is to be read again, or until the refusal ends", () => {
    expect(settled(given({ secret: missing, state: waiting }))).toEqual({ do: "wait", until: readAt + seconds(30) });
    expect(settled(given({ secret: used, state: waiting }))).toEqual({ do: "wait", until: readAt + seconds(30) });
    expect(settled(given({ state: refused("checkSecret") }))).toEqual({ do: "wait", until: 60_000 });
    expect(settled(given({ state: refused("writeSecret", 409) }))).toEqual({ do: "wait", until: 60_000 });
  });
});

const recorded: Status = { ...ready, roleUid: viewer };
const seen = present(external);
const { uid: _uid, parentUid: _parent, ...endedStatus } = recorded;

describe("a group invite that the status records", () => {
  const existing = (parts: ObservedParts = {}) => given({ resource: invite(recorded), external: seen, ...parts });
  const differing = (more: object) => existing({ external: present(like(more)), state: waiting });
  itDecides([
    {
      name: "is looked for",
      given: existing({ external: { is: "unknown" } }),
      expected: { do: "list", parent, startedAfter: 0, stable: false },
    },
    {
      name: "is read if it may be gone",
      given: existing({ external: { is: "stale" } }),
      expected: { do: "read", uid },
    },
    {
      name: "is never created again",
      given: existing({ external: { is: "gone", at: justRead } }),
      expected: {
        ...reportsStalled("ExternalGone", "redeemed or deleted"),
        patch: { uid: null, conditions: [{}, {}, {}] },
      },
    },
    {
      name: "is read for a request",
      given: existing({ request: { value: "now", seenAt: justRead + 1 } }),
      expected: { do: "read", uid },
    },
    {
      name: "is not read for a request that was seen before",
      given: existing({ request: { value: "now", seenAt: justRead } }),
      expected: { do: "writeStatus", patch: { lastHandledReconcileAt: "now" } },
    },
    {
      name: "gets the finalizer",
      given: existing({ resource: invite(recorded, []) }),
      expected: { do: "addFinalizer" },
    },
    {
      name: "is reported if somebody changed it",
      given: differing({ email: "eve@example.com", singleUse: false }),
      expected: reports("DriftDetected", "changed outside of Kubernetes: email, singleUse", {
        drift: [{ field: "email" }, { field: "singleUse" }],
      }),
    },
    {
      name: "is reported if its reference means another role now",
      given: existing({
        state: waiting,
        references: { ...references, uids: { parent, role: "other" }, desired: { ...fields, roleUid: "other" } },
      }),
      expected: reports("DriftDetected", "spec.roleUid names another role now"),
    },
    {
      name: "is reported if it expires at another time",
      given: differing({ expirationTime: "2026-02-03T02:07:02.223Z" }),
      expected: reports("DriftDetected", "expires on the platform at 2026-02-03T02:07:02.223Z", {
        drift: [{ field: "expirationTime", expected: expiresAt, actual: "2026-02-03T02:07:02.223Z" }],
      }),
    },
    {
      name: "is reported if it is not in the groups of the Tenant",
      given: existing({ tenant: { ...tenant, groups: [otherRoot] } }),
      expected: reportsStalled("TenantDenied"),
    },
    {
      name: "is never moved",
      given: existing({ references: { ...references, uids: { ...uids, parent: root } } }),
      expected: reportsStalled("ParentChanged", `is not in the group ${root}`),
    },
    {
      name: "is gone, wherever it was to be, if that is proven",
      given: existing({
        external: { is: "gone", at: justRead },
        references: { ...references, uids: { ...uids, parent: root } },
      }),
      expected: reportsStalled("ExternalGone"),
    },
    {
      name: "is not known to be gone where nobody may look",
      given: existing({
        external: { is: "gone", at: justRead },
        references: { ...references, uids: { ...uids, parent: otherRoot } },
        rootSnapshots: [],
      }),
      expected: reportsStalled("ParentChanged"),
    },
    {
      name: "is left to another object that has it",
      given: existing({ claimedBy: "team/eve" }),
      expected: reportsStalled("Conflict"),
    },
  ]);

  it("is as it should be", () => {
    expect(settled(existing())).toMatchObject({ do: "done" });
    expect(settled(differing({ expirationTime: "2026-02-03T02:07:02.222Z" }))).toMatchObject({ do: "done" });
    expect(settled(differing({ expirationTime: "" }))).toMatchObject({ do: "done" });
  });
});

describe("a group invite that has ended", () => {
  itDecides([
    {
      name: "is never created again",
      given: given({ resource: invite(endedStatus) }),
      expected: reportsStalled("ExternalGone", "It is never created again"),
    },
  ]);
});

describe("a group invite that only the Secret names", () => {
  const named = (parts: ObservedParts = {}) =>
    given({
      secret: held,
      claim: { uid, external: seen, claimedBy: null, heldByBreaker: false },
      state: waiting,
      ...parts,
    });
  const claim = { uid, external: seen, claimedBy: null, heldByBreaker: false };
  const notOurs: [string, ObservedParts][] = [
    ["is something else", { claim: { ...claim, external: present(like({ email: "eve@example.com" })) } }],
    ["belongs to another object", { claim: { ...claim, claimedBy: "team/eve" } }],
    ["is in another group", { references: { ...references, uids: { ...uids, parent: root } } }],
    [
      "is not what this process created",
      { state: { ...waiting, issued: { uid: anotherUid } }, secret: { ...held, issuedUid: anotherUid } },
    ],
  ];
  itDecides([
    { name: "becomes Ready", given: named(), expected: { do: "writeStatus", patch: { uid, management: "Created" } } },
    {
      name: "becomes Ready if this process created it, whatever it is",
      given: named({
        state: { ...waiting, issued: { uid } },
        claim: { ...claim, external: present(like({ expirationTime: "" })) },
      }),
      expected: { do: "writeStatus", patch: { uid, management: "Created" } },
    },
    {
      name: "is recorded also if it expires at another time",
      given: named({ claim: { ...claim, external: present(like({ expirationTime: "2027-01-01T00:00:00Z" })) } }),
      expected: reports("DriftDetected", "expires on the platform", { uid }),
    },
    ...notOurs.flatMap(([name, parts]): DecisionCase[] => [
      {
        name: `is not recorded if it ${name}`,
        given: named(parts),
        expected: reportsStalled("Conflict", "names a group invite in its key uid that is not of this object"),
      },
      {
        name: `is not mentioned if the Secret may not be written and it ${name}`,
        given: named({ ...parts, secret: { ...(parts.secret ?? held), writable: false } as SecretRead }),
        expected: { do: "checkSecret" },
      },
    ]),
    {
      name: "is read again if the Secret was read half a minute ago",
      given: named({ now: readAt + seconds(30) }),
      expected: reads,
    },
    {
      name: "is not read again while that is refused",
      given: named({ now: readAt + seconds(30), state: refused("readSecret") }),
      expected: { do: "writeStatus", patch: { uid } },
    },
  ]);

  it("is looked at again when the Secret is read again", () => {
    const parts = named({ claim: { ...claim, claimedBy: "team/eve" } });
    expect(settled(parts)).toEqual({ do: "wait", until: readAt + seconds(30) });
  });
});

describe("the code that only this process has", () => {
  const issued = (parts: ObservedParts = {}, more: object = {}) =>
    given({ state: { ...emptyState, issued: { uid, ...more } }, ...parts });
  const deletes = (note: string) => ({
    do: "delete",
    uid,
    event: { type: "Warning", reason: "Deleted", note: expect.stringContaining(note) },
  });
  const notWritten = deletes("could not be written into Secret ada");
  itDecides([
    {
      name: "is written into the Secret, whatever the references mean",
      given: issued({ references: { are: "unread" } }),
      expected: { do: "writeSecret", at, version: { uid: "s", resourceVersion: "1" }, uid },
    },
    { name: "is lost if the Secret is not empty", given: issued({ secret: used }), expected: notWritten },
    { name: "is lost if the Secret is gone", given: issued({ secret: missing }), expected: notWritten },
    { name: "is lost if the write failed", given: issued({}, { failed: true }), expected: notWritten },
    {
      name: "is given to nobody if the platform made something else of the request",
      given: issued({}, { failed: true, drift: [altered()] }),
      expected: deletes('email is "x"'),
    },
  ]);
});

function altered() {
  return { field: "email", expected: "ada@example.com", actual: "x" };
}

/** What identifies the attempt at this generation of the spec, with any token. */
function attempt(generation: number): string {
  return `0 ${generation}    ${parent} ${viewer} s 1`;
}

/** The step once the status says what the decision is. */
function settled(parts: ObservedParts) {
  const written = stepFor(parts);
  if (written.do !== "writeStatus") return written;
  const { resource = invite() } = parts;
  const merged = Object.entries({ ...resource.status, ...written.patch }).filter(([, value]) => value !== null);
  return stepFor({ ...parts, resource: { ...resource, status: Object.fromEntries(merged) as Status } });
}
