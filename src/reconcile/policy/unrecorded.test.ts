import { describe, expect, it } from "vitest";
import type { Status } from "#src/api/status.ts";
import type { References, Unrecorded } from "#src/reconcile/observe/observed.ts";
import { decide } from "./decide.ts";
import { leftUnseen } from "./deletion-messages.ts";
import { type DecisionCase, itDecides, reports } from "./decision-cases.testing.ts";
import { deletedBinding, deletedGroup, deletionSeen, rejectedStep, released } from "./ending-cases.testing.ts";
import {
  bindingResource,
  emptyState,
  externalGroup,
  groupResource,
  kindOf,
  observed,
  parent,
  platformError,
  root,
} from "./observed-fixture.testing.ts";

// Objects whose resources an earlier process may have created, and that no Tenant permits now.

const waiting = { ...deletionSeen, waitingSince: 0 };
const denied: References = { are: "denied", message: "spec.groupUid: outside." };
const notGranted: References = { are: "waiting", reason: "ReferenceNotGranted", message: "" };
const none = { is: "none" } as const;
const listed = { startedAt: 50, stable: true };
const absent: Unrecorded = {
  is: "identified",
  group: parent,
  uids: {},
  isListable: true,
  snapshot: listed,
  found: [],
  kept: [],
};
const found: Unrecorded = { ...absent, found: [`${parent}/4444444444444444`] };
const refused = (attempts: number) => ({ code: 403, message: "forbidden", attemptOf: "", attempts, retryAt: 0 });
const looks = { do: "list", parent, startedAfter: 10, through: "anySession" };

const unpermitted = [
  { why: "denied", parts: { references: denied }, reason: "TenantDenied" },
  { why: "not granted", parts: { references: notGranted }, reason: "TenantDenied" },
  { why: "without a Tenant", parts: { references: notGranted, tenant: none }, reason: "NoTenant" },
] as const;

describe.each([
  { what: "a role binding", noun: "role binding", deleted: deletedBinding(), unsettled: "TenantDenied" },
  // What the Tenant's own session sees may be the group, and be deleted.
  { what: "a group", noun: "group", deleted: deletedGroup(), unsettled: "Deleting" },
])("the deletion of $what that an earlier process may have created", ({ noun, deleted, unsettled }) => {
  itDecides(
    unpermitted.flatMap(({ why, parts, reason }): DecisionCase[] => {
      const given = { resource: deleted, state: waiting, ...parts };
      return [
        {
          name: `${why}: looks for it`,
          given: { ...given, unrecorded: { ...absent, snapshot: null } },
          expected: looks,
        },
        {
          name: `${why}: looks again if the list may not show what an earlier process created`,
          given: { ...given, unrecorded: { ...absent, snapshot: { ...listed, startedAt: 9 } } },
          expected: looks,
        },
        {
          name: `${why}: does not look before the requests of an earlier process are settled`,
          given: { ...given, settledAt: 30_000, unrecorded: absent },
          expected: reports(reason === "TenantDenied" ? unsettled : reason),
        },
        { name: `${why}: is completed if there is none`, given: { ...given, unrecorded: absent }, expected: released },
        {
          name: `${why}: is completed if it refers to what does not exist`,
          given: { ...given, unrecorded: { is: "impossible" } },
          expected: released,
        },
        {
          name: `${why}: neither deletes what it finds nor forgets it`,
          given: { ...given, unrecorded: found },
          expected: reports(reason),
        },
        {
          name: `${why}: is completed if nobody can look, with a warning`,
          given: { ...given, unrecorded: { ...absent, snapshot: null, isListable: false } },
          expected: { do: "report", about: "object", event: { type: "Warning", reason: "Orphaned" } },
        },
        {
          name: `${why}: reports it of the namespace if an event of the object is refused`,
          given: {
            ...given,
            unrecorded: { ...absent, snapshot: null, isListable: false },
            state: { ...waiting, refusals: { report: refused(1) } },
          },
          expected: { do: "report", about: "namespace" },
        },
        {
          name: `${why}: is completed if both are refused`,
          given: {
            ...given,
            unrecorded: { ...absent, snapshot: null, isListable: false },
            state: { ...waiting, refusals: { report: refused(2) } },
          },
          expected: { ...released, event: { reason: "Orphaned" } },
        },
        {
          name: `${why}: is completed once that is reported`,
          given: {
            ...given,
            unrecorded: { ...absent, snapshot: null, isListable: false },
            state: { ...waiting, reported: leftUnseen(noun) },
          },
          expected: released,
        },
        {
          name: `${why}: is not completed before the requests of an earlier process are settled, even if nobody can look`,
          given: { ...given, settledAt: 30_000, unrecorded: { ...absent, snapshot: null, isListable: false } },
          expected: reports(reason === "TenantDenied" ? unsettled : reason),
        },
        {
          name: `${why}: waits if what it refers to is not known`,
          given: { ...given, unrecorded: { is: "unknown" } },
          expected: reports(reason),
        },
      ];
    }),
  );
});

it.each([
  ["a role binding", deletedBinding()],
  ["a group", deletedGroup()],
])(
  "the deletion of %s that refers to what does not exist continues once earlier requests are settled",
  (_, resource) => {
    const references: References = { are: "waiting", reason: "ReferenceNotFound", message: "It does not exist." };
    const given = { state: waiting, references, unrecorded: { is: "impossible" }, settledAt: 30_000 } as const;
    const before = observed({ ...given, resource });
    const reported = decide(before, kindOf(before)).step;
    if (reported.do !== "writeStatus") throw new Error(`unexpected step ${reported.do}`);
    const after = {
      ...before,
      resource: { ...resource, status: { observedGeneration: 1, ...reported.patch } as Status },
    };
    expect(decide(after, kindOf(after)).step).toEqual({ do: "wait", until: 30_000 });
    expect(decide({ ...after, now: 30_000 }, kindOf(after)).step).toMatchObject(
      resource.kind === "Group" ? { do: "list" } : released,
    );
  },
);

describe("the deletion of a role binding that no Tenant permits", () => {
  itDecides([
    {
      name: "says how to complete it, and not whether there is an equal one",
      given: {
        resource: deletedBinding(),
        state: waiting,
        references: denied,
        unrecorded: found,
      },
      expected: reports("TenantDenied", "may have created the role binding when it was permitted"),
    },
    {
      name: "reports why it cannot look",
      given: {
        resource: deletedBinding(),
        references: denied,
        unrecorded: { ...absent, snapshot: null },
        state: rejectedStep(
          "list",
          platformError("PERMISSION_DENIED"),
          { resource: deletedBinding(), references: denied },
          waiting,
        ),
      },
      expected: reports("PermissionDenied"),
    },
  ]);
});

describe("the deletion of a group that no Tenant permits", () => {
  const given = {
    resource: deletedGroup(),
    state: waiting,
    references: denied,
    unrecorded: absent,
  };
  itDecides([
    {
      name: "looks everywhere that the Tenant's own session sees, too",
      given: { ...given, rootSnapshots: [{ group: root, snapshot: { ...listed, startedAt: 9 } }] },
      expected: { do: "list", parent: root, startedAfter: 10 },
    },
    {
      name: "is not completed while a list that is not the latest shows the group",
      given: { ...given, tenant: none, rootSnapshots: [], matches: [externalGroup()] },
      expected: reports("NoTenant"),
    },
  ]);
});

describe.each([
  { what: "a role binding", resource: bindingResource() },
  { what: "a group", resource: groupResource() },
])("$what that no Tenant permits", ({ resource }) => {
  itDecides(
    unpermitted
      .filter(({ why }) => why !== "not granted")
      .flatMap(({ why, parts, reason }): DecisionCase[] => {
        const given = { resource, ...parts };
        return [
          {
            name: `${why}: keeps its finalizer while one is found`,
            given: { ...given, unrecorded: found },
            expected: reports(reason),
          },
          {
            name: `${why}: keeps its finalizer until it was looked for`,
            given: { ...given, unrecorded: { ...absent, snapshot: null } },
            expected: reports(reason),
          },
          {
            name: `${why}: loses its finalizer once there is none`,
            given: { ...given, unrecorded: absent },
            expected: released,
          },
          {
            name: `${why}: loses its finalizer if this process would know of its POST`,
            given: { ...given, state: { ...emptyState, bornHere: true } },
            expected: released,
          },
        ];
      }),
  );
});

describe("an expired role binding that no Tenant permits", () => {
  itDecides([
    {
      name: "does not report that an expired grant ended while an equal one exists",
      given: {
        resource: bindingResource({ spec: { expiresAt: "2026-01-31T00:00:00Z" } }),
        references: denied,
        unrecorded: found,
      },
      expected: reports("Expired", "it may still exist"),
    },
    {
      name: "does not report that an expired grant ended while it is not known what the object refers to",
      given: {
        resource: bindingResource({ spec: { expiresAt: "2026-01-31T00:00:00Z" } }),
        references: { are: "unreadKind", kind: "Identity", path: "spec.identityRef" },
        unrecorded: { is: "unknown" },
      },
      expected: reports("Expired", "it may still exist"),
    },
  ]);
});
