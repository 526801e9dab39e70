import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import { itDecides, present, reports, reportsStalled } from "./decision-cases.testing.ts";
import { deletedBinding } from "./ending-cases.testing.ts";
import { decide } from "./decide.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  notReady,
  observed,
  kindOf,
  type ObservedParts,
  parent,
  ready,
  resolved,
  root,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

/** The time of the observations is 2026-02-02T02:02:02.222Z. */
const past = "2026-02-02T02:02:02Z";
const future = "2026-02-02T02:03:02.222Z";
const viewer = "c".repeat(40);
const external = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: viewer, name: "viewer" } };
const changed = { ...external, role: { uid: "e".repeat(40), name: "" } };
const references = resolved({ identityUid: anotherUid, roleUid: viewer });
const recorded = { uid, parentUid: parent, identityUid: anotherUid, roleUid: viewer, management: "Created" };
const readyBinding = { ...ready, ...recorded };
const ending: Status = { ...notReady("Expired", { stalled: true }), ...recorded };

const resourceThatMayExist = bindingResource({ spec: { expiresAt: past } });

describe("an expired role binding", () => {
  const expired = bindingResource({ spec: { expiresAt: past }, status: ending });
  itDecides([
    {
      name: "is not Ready, even if nothing can be read",
      given: {
        resource: bindingResource({ spec: { expiresAt: past }, status: readyBinding }),
        references: { are: "unread" },
        external: { is: "unknown" },
        tenant: { is: "none" },
      },
      expected: reports("Expired"),
    },
    {
      name: "is deleted then, although it was adopted, outside of the breaker",
      given: {
        resource: bindingResource({ spec: { expiresAt: past }, status: { ...ending, management: "Adopted" } }),
        references,
        external: present(external),
        heldByBreaker: true,
      },
      expected: { do: "delete", uid },
    },
    {
      name: "is deleted by a Tenant that serves only deletions",
      given: { resource: expired, references, external: present(external), tenant: { ...tenant, serves: "deletions" } },
      expected: { do: "delete", uid },
    },
    {
      name: "is left where the operator may not look, and says so",
      given: { resource: expired, references, external: present(external), rootSnapshots: [] },
      expected: reportsStalled("Expired", "outside"),
    },
    {
      name: "is left outside of the Tenant's groups, and says so",
      given: { resource: expired, references, external: present(external), tenant: { ...tenant, groups: [uid] } },
      expected: reportsStalled("Expired", "spec.groups"),
    },
    {
      name: "is left where no Tenant governs it, and says so",
      given: { resource: expired, references, external: present(external), tenant: { is: "none" } },
      expected: reportsStalled("Expired", "No Tenant"),
    },
    {
      name: "is found first if it is not known",
      given: { resource: expired, references, external: { is: "unknown" } },
      expected: { do: "list", startedAfter: 0, stable: false },
    },
    {
      name: "is recorded as gone once it is",
      given: { resource: expired, references, external: { is: "gone", at: 40 } },
      expected: reports("Expired", "this object has no role binding", {
        uid: null,
        management: null,
        identityUid: null,
      }),
    },
    {
      name: "is not deleted if it grants something else by now",
      given: {
        resource: expired,
        references,
        external: present(changed),
      },
      expected: reports("Expired", "", { uid: null }),
    },
    {
      name: "that was never created is not created",
      given: { resource: bindingResource({ spec: { expiresAt: past } }), references },
      expected: reports("Expired"),
    },
    {
      name: "that an earlier process may have created is looked for",
      given: { resource: resourceThatMayExist, references, rootSnapshots: [{ group: root, snapshot: null }] },
      expected: { do: "list", parent: root },
    },
    {
      name: "that this process may have created under another Tenant has not ended",
      given: {
        resource: resourceThatMayExist,
        references,
        state: { ...emptyState, bornHere: true, posted: { naturalKey: "key", tenant: "another" } },
      },
      expected: reports("Expired", "it may still exist"),
    },
    {
      name: "that an earlier process may have created is looked for once the roles are known",
      given: { resource: resourceThatMayExist, references: { are: "unread" } },
      expected: { do: "refreshPermissions" },
    },
    {
      name: "that an earlier process may have created has not ended before its requests are settled",
      given: { resource: resourceThatMayExist, references, settledAt: 30_000 },
      expected: reports("Expired", "is being deleted"),
    },
    {
      name: "with a POST whose outcome is unknown is looked for",
      given: {
        resource: bindingResource({ spec: { expiresAt: past } }),
        references,
        state: { ...emptyState, posted: { naturalKey: "key" } },
        postUnknownSince: 1_000,
      },
      expected: { do: "list", startedAfter: 16_000, stable: true },
    },
    ...(["breakGlass", "otherOwner"] as const).map((because) => ({
      name: `does not delete an equal one that it could not take over, whoever led before: ${because}`,
      given: {
        resource: bindingResource({ spec: { expiresAt: past }, status: notReady("Expired", { stalled: true }) }),
        references,
        matches: [external],
        protections: [{ uid, because }],
      },
      expected: { ...reports("Expired", `Left the role binding ${uid}`), events: [{ reason: "Orphaned" }] },
    })),
    {
      name: "names one that an earlier process may have created, if its identity is another owner's by then",
      given: {
        resource: resourceThatMayExist,
        references: { are: "waiting", reason: "ReferenceNotReady", message: "" },
        unrecorded: {
          is: "identified",
          group: parent,
          uids: {},
          isListable: true,
          snapshot: { startedAt: 50, stable: true },
          found: [],
          kept: [uid],
        },
      },
      expected: { ...reports("Expired", `Left the role binding ${uid}`), events: [{ reason: "Orphaned" }] },
    },
    {
      name: "leaves an equal one to another object that wants it",
      given: {
        resource: bindingResource({ spec: { expiresAt: past }, status: notReady("Expired", { stalled: true }) }),
        references,
        matches: [external],
        wantedByOthers: [uid],
      },
      expected: reports("Expired", "this object has no role binding"),
    },
    {
      name: "leaves what it recorded to another object to which that belongs",
      given: { resource: expired, references, external: present(external), claimedBy: "team/other" },
      expected: reports("Expired", "this object has no role binding", { uid: null }),
    },
    {
      name: "is read first if another object may have deleted it",
      given: {
        resource: bindingResource({ spec: { expiresAt: past }, status: notReady("Expired", { stalled: true }) }),
        references,
        matches: [external],
        readTimes: [],
      },
      expected: { do: "read", uid },
    },
    {
      name: "is deleted to the end although expiresAt was extended meanwhile",
      given: {
        resource: bindingResource({ spec: { expiresAt: future }, status: ending, metadata: { generation: 2 } }),
        references,
        external: present(external),
      },
      expected: { do: "delete", uid },
    },
    {
      name: "is granted again after that",
      given: {
        resource: bindingResource({
          spec: { expiresAt: future },
          status: notReady("Expired", { stalled: true }),
          metadata: { generation: 2 },
        }),
        references,
      },
      expected: { do: "create" },
    },
  ]);
});

it("an expired role binding waits until its POST is settled, not for the retry of that POST", () => {
  const given = {
    references,
    state: {
      ...emptyState,
      posted: { naturalKey: "key" },
      failure: {
        step: "create",
        problem: { kind: "noResponse", message: "" },
        attemptOf: "",
        attempts: 1,
        at: 10_000,
        retryAt: 10_100,
      },
    },
    postUnknownSince: 10_000,
  } as const;
  const decideFor = (status: Status | undefined) => {
    const observation = observed({
      ...given,
      resource: bindingResource({ spec: { expiresAt: past }, ...(status === undefined ? {} : { status }) }),
    });
    return decide(observation, kindOf(observation)).step;
  };
  const reported = decideFor(undefined);
  if (reported.do !== "writeStatus") throw new Error(reported.do);
  expect(decideFor({ observedGeneration: 1, ...reported.patch } as Status)).toEqual({ do: "wait", until: 25_000 });
});

describe("an expired role binding that is reported as ended", () => {
  const stepFor = (parts: ObservedParts, status?: Status) => {
    const resource = bindingResource({ spec: { expiresAt: past }, ...(status === undefined ? {} : { status }) });
    const observation = observed({ resource, ...parts });
    return decide(observation, kindOf(observation)).step;
  };
  const written = stepFor({ references, state: { ...emptyState, bornHere: true } });
  if (written.do !== "writeStatus") throw new Error(written.do);
  const reported = { observedGeneration: 1, ...written.patch } as Status;

  it("is not looked for again by a new leader that has not read the roles", () => {
    expect(stepFor({ references: { are: "unread" } }, reported).do).toBe("wait");
  });

  it("does not become one that may still exist when no Tenant governs it any longer", () => {
    const waiting = { are: "waiting", reason: "ReferenceNotReady", message: "no Tenant" } as const;
    const ungoverned = { tenant: { is: "none" }, references: waiting, unrecorded: { is: "unknown" } } as const;
    expect(JSON.stringify(stepFor(ungoverned))).toContain("it may still exist");
    const step = stepFor(ungoverned, reported);
    expect(step).toMatchObject({
      do: "writeStatus",
      patch: { conditions: [...(reported.conditions ?? []).slice(0, 2), {}] },
    });
  });
});

describe("a paused role binding that has expired", () => {
  const metadata = { annotations: { "iam.muster.dev/paused": "true" } };
  const spec = { expiresAt: past };
  itDecides([
    {
      name: "is not Ready",
      given: {
        resource: bindingResource({ metadata, spec, status: readyBinding }),
        references,
        external: present(external),
      },
      expected: reports("Expired", "is being deleted"),
    },
    {
      name: "is reported as expired after it was reported as paused",
      given: {
        resource: bindingResource({ metadata, spec, status: { ...notReady("Paused"), ...recorded } }),
        references,
        external: present(external),
      },
      expected: reports("Expired"),
    },
    {
      name: "is deleted then: a pause does not extend a grant",
      given: { resource: bindingResource({ metadata, spec, status: ending }), references, external: present(external) },
      expected: { do: "delete", uid },
    },
    {
      name: "is not granted again while it is paused, although expiresAt was extended",
      given: {
        resource: bindingResource({
          spec: { expiresAt: future },
          status: notReady("Expired", { stalled: true }),
          metadata: { ...metadata, generation: 2 },
        }),
        references,
      },
      expected: {
        do: "writeStatus",
        patch: { conditions: [{ type: "Ready", status: "Unknown", reason: "Paused" }, {}] },
      },
    },
    {
      name: "has no binding if none was created",
      given: { resource: bindingResource({ metadata, spec }), references, state: { ...emptyState, bornHere: true } },
      expected: reports("Expired", "this object has no role binding"),
    },
    {
      name: "does not acknowledge a requested reconcile",
      given: {
        resource: bindingResource({ metadata, spec, status: readyBinding }),
        references,
        external: present(external),
        request: { value: "now", seenAt: 1 },
      },
      expected: { do: "writeStatus", patch: expect.not.objectContaining({ lastHandledReconcileAt: "now" }) },
    },
  ]);

  it("is looked at again when it expires", () => {
    const given = observed({
      resource: bindingResource({
        metadata,
        spec: { expiresAt: future },
        status: { ...notReady("Paused"), ...recorded },
      }),
      references,
      external: present(external),
    });
    const written = decide(given, kindOf(given)).step;
    if (written.do !== "writeStatus") throw new Error(`unexpected step ${written.do}`);
    const resource = { ...given.resource, status: { ...given.resource.status, ...written.patch } as Status };
    expect(decide({ ...given, resource }, kindOf(given)).step).toEqual({ do: "done", recheckAt: 80_000 });
  });
});

describe("an expired role binding that is being deleted", () => {
  const deleted = (policy: Parameters<typeof deletedBinding>[0] & object, annotations = {}) =>
    deletedBinding({ ...policy, metadata: { annotations }, status: readyBinding });
  itDecides([
    {
      name: "is deleted although the object is paused",
      given: {
        resource: deleted({ spec: { expiresAt: past } }, { "iam.muster.dev/paused": "true" }),
        references,
        external: present(external),
      },
      expected: { do: "delete", uid },
    },
    ...(["Protect", "Orphan"] as const).map((deletion) => ({
      name: `is deleted although its policy is ${deletion}`,
      given: {
        resource: deleted({ spec: { expiresAt: past, policy: { deletion } } }),
        references,
        external: present(external),
      },
      expected: { do: "delete", uid },
    })),
    {
      name: "is kept by a pause until it has expired",
      given: {
        resource: deleted({ spec: { expiresAt: future } }, { "iam.muster.dev/paused": "true" }),
        references,
        external: present(external),
      },
      expected: { do: "writeStatus", patch: { conditions: [{ reason: "Paused" }, {}] } },
    },
    {
      name: "is kept if it was only observed",
      given: {
        resource: deleted({ spec: { expiresAt: past, policy: { management: "Observe" } } }),
        references,
        external: present(external),
      },
      expected: { do: "removeFinalizer" },
    },
  ]);

  it("is looked at again when it expires, if Protect keeps it until then", () => {
    const given = observed({
      resource: deleted({ spec: { expiresAt: future, policy: { deletion: "Protect" } } }),
      references,
      external: present(external),
    });
    const written = decide(given, kindOf(given)).step;
    if (written.do !== "writeStatus") throw new Error(`unexpected step ${written.do}`);
    const resource = { ...given.resource, status: { ...given.resource.status, ...written.patch } as Status };
    expect(decide({ ...given, resource }, kindOf(given)).step).toEqual({ do: "wait", until: 80_000 });
  });
});

it("a Ready role binding is looked at again when it expires", () => {
  const given = observed({
    resource: bindingResource({ spec: { expiresAt: future }, status: readyBinding }),
    references,
    external: present(external),
  });
  const written = decide(given, kindOf(given)).step;
  if (written.do !== "writeStatus") throw new Error(`unexpected step ${written.do}`);
  const resource = { ...given.resource, status: { ...readyBinding, ...written.patch } as Status };
  expect(decide({ ...given, resource }, kindOf(given)).step).toEqual({ do: "done", recheckAt: 80_000 });
});
