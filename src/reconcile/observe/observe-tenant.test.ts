import { describe, expect, it } from "vitest";
import { confirmAnnotation } from "#src/api/annotations.ts";
import {
  externalGroup,
  groupResource,
  notReady,
  otherRoot,
  parent,
  ready,
  root,
  uid,
} from "#src/reconcile/policy/observed-fixture.testing.ts";
import { type CachedTenant, parseTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import type { TenantObservation } from "#src/reconcile/tenancy/tenant-status.ts";
import type { SessionProblem } from "#src/reconcile/tenancy/session-report.ts";
import { Breakers } from "./breakers.ts";
import { observeTenant, type TenantObservationSources, type UndeclaredOfTenant } from "./observe-tenant.ts";
import { world, type WorldParts } from "./observed-world.testing.ts";

/** What a test is about. The operator serves Tenant `team`, which selects the namespaces `team` and `sibling`. */
interface Given extends WorldParts {
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly sources?: Partial<TenantObservationSources>;
  /** The Tenants that select a namespace, if not `team` alone. */
  readonly selecting?: Readonly<Record<string, readonly string[]>>;
  readonly isServed?: boolean;
}

const spec = { namespaces: ["team", "sibling"], groups: [root], roles: ["viewer"] };

const away = { kind: "noResponse", message: "away" } as const;

function observe({ annotations = {}, selecting = {}, isServed = true, ...parts }: Given = {}) {
  const metadata = { name: "team", uid: "uid-of-team", resourceVersion: "1", generation: 1, annotations };
  const tenant = parseTenant({ apiVersion: "v1", kind: "Tenant", metadata, spec: parts.spec ?? spec } as never);
  const { sources, contexts } = world({ ...parts, session: { unreadableRoots: [], ...parts.session } });
  const given = {
    sources: { ...sources, breakers: new Breakers(() => "id") },
    tenancy: {
      contextOf: (name: string) => (name === "team" && isServed ? contexts.team : undefined),
      namespacesSelectedBy: () => ["team", "sibling"],
      tenantsOf: (namespace: string) => selecting[namespace] ?? ["team"],
    },
    tenants: { get: (name: string): CachedTenant | undefined => (name === "team" ? tenant : undefined) },
    outer: { roots: [root], roles: ["viewer", "owner"], namespaces: null },
    owner: "owner",
    ownerCheck: { mismatch: undefined },
    reportOf: () => ({ is: "checked" }),
    orphans: () => null,
    undeclared: () => undefined,
    abandoned: () => 0,
    ...parts.sources,
  } as unknown as TenantObservationSources;
  const observation = observeTenant(given, "team");
  expect(observeTenant(given, "another")).toBeUndefined();
  if (observation === undefined) throw new Error("the Tenant does not exist");
  return observation;
}

const problems = (given: Given) => observe(given).problems.map(({ reason, message }) => `${reason} ${message}`);

describe("the observation of a Tenant", () => {
  it("says nothing where nothing is known, and finds no problem where there is none", () => {
    expect(observe()).toMatchObject({
      ownerId: "owner",
      namespaces: 2,
      problems: [],
      orphans: null,
      undeclared: null,
      unreadableGroups: null,
      abandoned: 0,
      breakers: [],
      heldRemovals: null,
      now: expect.any(Number),
    });
  });

  it("counts the objects in its namespaces by whether they are Ready, of kinds that were read", () => {
    const at = "2026-01-01T00:00:00Z";
    const object = (name: string, namespace: string, status?: object) =>
      groupResource({ metadata: { name, namespace }, ...(status === undefined ? {} : { status: status as never }) });
    const { objects } = observe({
      objects: [
        object("a", "team", ready),
        object("b", "team", notReady("Conflict")),
        object("c", "sibling"),
        object("d", "others", ready),
        object("e", "team", ready),
        groupResource({ metadata: { name: "f", namespace: "team", deletionTimestamp: at }, status: ready }),
        groupResource({
          metadata: { name: "g", namespace: "team", deletionTimestamp: at },
          status: notReady("Deleting"),
        }),
      ],
      unread: ["Role"],
    });
    const counts = new Map(objects.map(({ kind, count }) => [kind, count]));
    expect(counts.get("Group")).toEqual({ ready: 3, notReady: 3 });
    expect(counts.get("Identity")).toEqual({ ready: 0, notReady: 0 });
    expect(counts.get("Role")).toBeNull();
  });

  it.each<[string, Given, Partial<TenantObservation>]>([
    ["the orphans below its groups", { sources: { orphans: () => [uid, otherRoot] } }, { orphans: [uid] }],
    ["no orphans if it is not served", { isServed: false, sources: { orphans: () => [uid] } }, { orphans: [] }],
    ["how many objects were abandoned", { sources: { abandoned: () => 3 } }, { abandoned: 3 }],
    [
      "only namespaces that the operator's settings allow",
      { selecting: { sibling: [] } },
      { namespaces: 1, problems: [] },
    ],
    ["no word on a credential that was checked once", {}, { unverified: null }],
    [
      "that the first check of the credential has not ended",
      { sources: { reportOf: () => ({ is: "unchecked" }) } },
      { unverified: { failure: null } },
    ],
    [
      "what failed the first check of the credential",
      { sources: { reportOf: () => ({ is: "failed", problem: away, hasWorked: false, mayBeStarting: false }) } },
      { unverified: { failure: "away" } },
    ],
  ])("has %s", (_, given, expected) => {
    expect(observe(given)).toMatchObject(expected);
  });

  it("has the open breakers of its kinds", () => {
    const breakers = new Breakers(() => "id");
    breakers.of("team", "Group").hold(uid);
    breakers.of("team", "Identity");
    breakers.of("others", "Group").hold(parent);
    const { sources } = world();
    expect(observe({ sources: { sources: { ...sources, breakers } } }).breakers).toEqual([
      { kind: "Group", id: "id", missing: 1 },
    ]);
  });

  const held = { id: "held", uids: new Set([uid, parent]) };
  const undeclared = (share: Partial<UndeclaredOfTenant>) => ({
    undeclared: (tenant: string) =>
      tenant === "team" ? { uids: [uid], unreadableGroups: [otherRoot], held: null, ...share } : undefined,
  });
  it.each<[string, Given, Partial<TenantObservation>]>([
    [
      "what is not declared, and where that cannot be read",
      { sources: undeclared({}) },
      { undeclared: [uid], unreadableGroups: [otherRoot], heldRemovals: null },
    ],
    [
      "the removals that wait for a confirmation",
      { sources: undeclared({ held }) },
      { heldRemovals: { id: "held", resources: 2 } },
    ],
    [
      "removals that wait although others were confirmed",
      { sources: undeclared({ held }), annotations: { [confirmAnnotation]: "earlier" } },
      { heldRemovals: { id: "held", resources: 2 } },
    ],
    [
      "no removals that were confirmed",
      { sources: undeclared({ held }), annotations: { [confirmAnnotation]: "held" } },
      { heldRemovals: null },
    ],
  ])("has %s", (_, given, expected) => {
    expect(observe(given)).toMatchObject(expected);
  });
});

describe("the problems of a Tenant", () => {
  const failed = (problem: SessionProblem) => ({
    reportOf: () => ({ is: "failed" as const, problem, hasWorked: true, mayBeStarting: false }),
  });
  const outage = { class: "platform", message: "away" };
  const permissions = (denied: (capability: string, group: string) => boolean) => ({
    permissions: { allow: (capability: string, group: string) => !denied(capability, group) },
  });
  const gone = { listed: { Group: [] } };
  it.each<[string, Given, readonly string[]]>([
    ["an invalid spec", { spec: { ...spec, groups: "none" } }, ["InvalidSpec The spec does not match"]],
    ["what it names and may not use", { spec: { ...spec, groups: [otherRoot] } }, ["TenantDenied spec.groups"]],
    ["a role that does not exist", { spec: { ...spec, roles: ["none"] } }, ["UnknownRole spec.roles"]],
    [
      "kinds that do not exist, each once",
      { spec: { ...spec, kinds: ["Group", "Robot"], adopt: ["Robot", "Robots"] } },
      ["this operator has no kind Robot, Robots."],
    ],
    ["an outage", { session: { outage } }, ["PlatformUnavailable Calls to the platform are suspended: away."]],
    [
      "a credential that gets no token",
      { sources: failed({ kind: "credential", cause: "exchange", message: "no token" }) },
      ["TokenExchangeFailed The credential does not work: no token."],
    ],
    [
      "a token service that is away",
      { sources: failed({ kind: "credential", cause: "unavailable", message: "no token" }) },
      ["TokenUnavailable The credential does not work: no token."],
    ],
    ["not another problem of the last check, which the suspension judges", { sources: failed(away) }, []],
    ["no problem of a session that it does not have", { isServed: false, session: { outage } }, []],
    [
      "another owner",
      { sources: { ownerCheck: { mismatch: { recorded: "else" } } as never } },
      ["OwnerMismatch The operator's identity on the platform records the owner id else"],
    ],
    [
      "namespaces that another Tenant selects, too",
      { selecting: { sibling: ["others", "team"] } },
      ["Overlap Nothing is done for the objects in namespaces that several Tenants select: sibling (others, team)."],
    ],
    [
      "an unreadable group of the session that contains one of its groups",
      { spec: { ...spec, groups: [parent] }, session: { unreadableRoots: [root, otherRoot], roots: [parent] } },
      [`RootNotFound spec.groups, or the operator's setting --root-group: ${root} cannot be read`],
    ],
    [
      "a group that does not exist",
      { ...gone, spec: { ...spec, groups: [parent] } },
      [`RootNotFound spec.groups, or the operator's setting --root-group: ${parent} cannot be read`],
    ],
    ["no group that exists", { listed: { Group: [externalGroup()] }, spec: { ...spec, groups: [uid] } }, []],
    ["no group that was not looked for", { spec: { ...spec, groups: [parent] } }, []],
    ["no group of the session, which no list contains", { ...gone, spec: { ...spec, groups: [root] } }, []],
    [
      "what its identity may not list, of the permitted kinds",
      {
        boundary: { kinds: ["Group", "Role"] },
        session: permissions((capability) => ["CAP_IAM_GROUPS_LIST", "CAP_IAM_IDENTITY_LIST"].includes(capability)),
      },
      [`PermissionDenied The identity lacks CAP_IAM_GROUPS_LIST in group ${root}, without which`],
    ],
    [
      "not what may not be listed in groups that cannot be read",
      {
        spec: { ...spec, groups: [parent] },
        boundary: { groups: [parent] },
        session: { ...permissions(() => true), unreadableRoots: [root], roots: [parent] },
      },
      ["RootNotFound"],
    ],
    ["nothing that may not be listed before the permissions were read", { session: { permissions: undefined } }, []],
  ])("are %s", (_, given, expected) => {
    const found = problems(given);
    expect(found).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(found[index]).toContain(text);
  });

  it("are what Kubernetes refuses in its namespaces, and not elsewhere", () => {
    const { sources } = world();
    const refusedIn = (namespace: string) => ({
      ...sources,
      breakers: new Breakers(() => "id"),
      states: {
        get: (kind: string) => ({
          refusals: () => (kind === "Group" ? [[`${namespace}/a`, "writeStatus", { code: 403, message: "no" }]] : []),
        }),
      },
    });
    const given = (namespace: string) => ({ sources: { sources: refusedIn(namespace) as never } });
    expect(problems(given("others"))).toEqual([]);
    expect(problems(given("sibling"))).toEqual([expect.stringContaining("Group objects in namespace sibling: no.")]);
  });
});
