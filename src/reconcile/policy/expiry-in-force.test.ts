import { describe, expect, it } from "vitest";
import type { RoleBinding } from "#src/api/role-binding.ts";
import type { Status } from "#src/api/status.ts";
import type { References } from "#src/reconcile/observe/observed.ts";
import { decide } from "./decide.ts";
import { itDecides, present, reports } from "./decision-cases.testing.ts";
import { deletedBinding } from "./ending-cases.testing.ts";
import {
  anotherUid,
  bindingResource,
  emptyState,
  kindOf,
  notReady,
  observed,
  type ObservedParts,
  parent,
  type Parts,
  ready,
  resolved,
  tenant,
  uid,
} from "./observed-fixture.testing.ts";

// The expiry that the status records stays in force, whatever becomes of the spec.

/** The time of the observations is 2026-02-02T02:02:02.222Z. */
const past = "2026-02-02T02:02:02Z";
const future = "2026-02-02T02:03:02.222Z";
const unreadable = "2026-11-23T19:00:00+24:00";
const viewer = "c".repeat(40);
const external = { uid, identity: { uid: anotherUid, name: "" }, role: { uid: viewer, name: "viewer" } };
const references = resolved({ identityUid: anotherUid, roleUid: viewer });
const unresolved: References = { are: "waiting", reason: "ReferenceNotFound", message: "The spec is invalid." };
const record = { uid, parentUid: parent, identityUid: anotherUid, roleUid: viewer, management: "Created" };
const granted = (expiresAt?: string): Status => ({
  ...ready,
  ...record,
  ...(expiresAt === undefined ? {} : { expiresAt }),
});
const ending: Status = { ...notReady("Expired", { stalled: true }), ...record, expiresAt: past };

const binding = (expiresAt: string | undefined, status: Status, parts: Parts<RoleBinding> = {}) =>
  bindingResource({ ...parts, spec: { ...parts.spec, ...(expiresAt === undefined ? {} : { expiresAt }) }, status });

/** What is observed of an object whose spec does not match its schema. */
const invalid: ObservedParts = {
  invalid: "spec.expiresAt: must be a time",
  references: unresolved,
  matches: [external],
  external: present(external),
};

describe("a grant whose spec is invalid", () => {
  itDecides([
    {
      name: "is not Ready from the recorded time on",
      given: { ...invalid, resource: binding(unreadable, granted(past)) },
      expected: reports("Expired", `(status.expiresAt: ${past})`),
    },
    {
      name: "is deleted then",
      given: { ...invalid, resource: binding(unreadable, ending) },
      expected: { do: "delete", uid },
    },
    {
      name: "is deleted then although the object is paused",
      given: {
        ...invalid,
        resource: binding(unreadable, ending, { metadata: { annotations: { "iam.muster.dev/paused": "true" } } }),
      },
      expected: { do: "delete", uid },
    },
    {
      name: "is deleted then although the invalid spec says Observe",
      given: { ...invalid, resource: binding(unreadable, ending, { spec: { policy: { management: "Observe" } } }) },
      expected: { do: "delete", uid },
    },
    {
      name: "is deleted then with its object, although the policy is Protect",
      given: {
        ...invalid,
        resource: deletedBinding({ spec: { policy: { deletion: "Protect" } }, status: granted(past) }),
        state: { ...emptyState, deletionSeenAt: 18_000 },
      },
      expected: { do: "delete", uid },
    },
    {
      name: "has not ended while no Tenant permits that",
      given: { ...invalid, resource: binding(unreadable, granted(past)), tenant: { is: "none" } },
      expected: reports("Expired", "is being deleted"),
    },
    {
      name: "loses its record once it is gone",
      given: { ...invalid, matches: [], resource: binding(unreadable, ending), external: { is: "gone", at: 40 } },
      expected: reports("Expired", "has no role binding", { uid: null, expiresAt: null }),
    },
    {
      name: "says when it ends",
      given: { ...invalid, resource: binding(unreadable, granted(future)) },
      expected: reports("InvalidSpec", `the grant still ends at ${future} (status.expiresAt)`),
    },
    {
      name: "ends at the recorded time, not at the one in the spec",
      given: { ...invalid, resource: binding(past, granted(future)) },
      expected: reports("InvalidSpec", `the grant still ends at ${future} (status.expiresAt)`),
    },
    {
      name: "ends at the time in the spec if none was recorded",
      given: { ...invalid, resource: binding(past, granted()) },
      expected: reports("Expired", `(spec.expiresAt: ${past})`),
    },
    {
      name: "is only reported as invalid if there is none",
      given: { ...invalid, matches: [], resource: binding(past, { observedGeneration: -1 }) },
      expected: reports("InvalidSpec"),
    },
  ]);

  it.each([
    ["at the recorded time", granted(future), { do: "wait", until: 80_000 }],
    ["within an hour if nothing can be read", granted(), { do: "wait", until: 20_000 + 3_600_000 }],
  ])("is looked at again %s", (_, status, expected) => {
    const given = observed({ ...invalid, resource: binding(unreadable, status) });
    const written = decide(given, kindOf(given)).step;
    if (written.do !== "writeStatus") throw new Error(`unexpected step ${written.do}`);
    expect(written.patch).not.toHaveProperty("expiresAt");
    const resource = { ...given.resource, status: { ...given.resource.status, ...written.patch } as Status };
    expect(decide({ ...given, resource }, kindOf(given)).step).toEqual(expected);
  });
});

describe("a grant whose object was edited to Observe", () => {
  const observing = { spec: { policy: { management: "Observe" } } } as const;
  const given = { references, external: present(external) };
  itDecides([
    {
      name: "ends when it expires if the Tenant does not allow it to be left",
      given: { ...given, resource: binding(past, ending, observing), tenant: { ...tenant, mayOrphan: false } },
      expected: { do: "delete", uid },
    },
    {
      name: "is left alone if the Tenant allows that",
      given: { ...given, resource: binding(past, granted(past), observing) },
      expected: reports("Expired"),
    },
    {
      name: "is left alone if the object never managed it",
      given: {
        ...given,
        resource: binding(past, { ...ending, management: "Observed" }, { ...observing, metadata: { generation: 2 } }),
        tenant: { ...tenant, mayOrphan: false },
      },
      expected: { do: "writeStatus", patch: { expiresAt: null } },
    },
    {
      name: "stays recorded if the object never managed it",
      given: {
        ...given,
        resource: binding(
          past,
          { ...granted(), management: "Observed" },
          { ...observing, metadata: { finalizers: [] } },
        ),
        tenant: { ...tenant, mayOrphan: false },
      },
      expected: { do: "writeStatus", patch: expect.not.objectContaining({ uid: null }) },
    },
    {
      name: "stays when an object goes that never managed it",
      given: {
        ...given,
        resource: deletedBinding({
          spec: { expiresAt: past, policy: { management: "Observe" } },
          status: { ...granted(), management: "Observed" },
        }),
        tenant: { ...tenant, mayOrphan: false },
      },
      expected: { do: "removeFinalizer" },
    },
  ]);
});

it("a grant is not looked for when it expires if its object never had the finalizer", () => {
  const resource = binding(past, { observedGeneration: 1 }, { metadata: { finalizers: [] } });
  const given = observed({ references, resource, rootSnapshots: [{ group: parent, snapshot: null }] });
  expect(decide(given, kindOf(given)).step).toMatchObject(reports("Expired", "has no role binding"));
});

describe("the status of a grant", () => {
  const given = { references, external: present(external) };
  itDecides([
    {
      name: "records when it ends, in the write that records the grant",
      given: { references, matches: [external], resource: binding(future, { observedGeneration: -1 }) },
      expected: { do: "writeStatus", patch: { uid, expiresAt: future } },
    },
    {
      name: "of an earlier version records it, too",
      given: { ...given, resource: binding(future, granted()) },
      expected: { do: "writeStatus", patch: { expiresAt: future } },
    },
    {
      name: "records an extension",
      given: { ...given, resource: binding(future, granted(past), { metadata: { generation: 2 } }) },
      expected: { do: "writeStatus", patch: { expiresAt: future } },
    },
    {
      name: "records an extension also while the object is not Ready",
      given: { ...given, tenant: { is: "none" }, resource: binding(future, granted(past)) },
      expected: reports("NoTenant", "", { expiresAt: future }),
    },
    {
      name: "records that it does not end any longer",
      given: { ...given, resource: binding(undefined, granted(future), { metadata: { generation: 2 } }) },
      expected: { do: "writeStatus", patch: { expiresAt: null } },
    },
    {
      name: "records no end of what is only observed",
      given: {
        references,
        matches: [external],
        resource: binding(
          future,
          { observedGeneration: -1 },
          {
            metadata: { finalizers: [] },
            spec: { policy: { management: "Observe" } },
          },
        ),
      },
      expected: { do: "writeStatus", patch: { uid, management: "Observed" } },
    },
  ]);

  it("of an earlier version is written once", () => {
    const before = observed({ ...given, resource: binding(future, granted()) });
    const written = decide(before, kindOf(before)).step;
    if (written.do !== "writeStatus") throw new Error(`unexpected step ${written.do}`);
    expect(written.events).toBeUndefined();
    const resource = { ...before.resource, status: { ...before.resource.status, ...written.patch } as Status };
    expect(decide({ ...before, resource }, kindOf(before)).step).toEqual({ do: "done", recheckAt: 80_000 });
  });
});
