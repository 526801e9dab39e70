import { describe, expect, it } from "vitest";
import type { TenantStatus } from "#src/api/tenant.ts";
import { tenantStatusPatch, type TenantObservation } from "./tenant-status.ts";

const tenant = (status?: TenantStatus) => ({ metadata: { name: "shop", generation: 3 }, status });
const observation = (parts: Partial<TenantObservation> = {}): TenantObservation => ({
  tenant: tenant(),
  ownerId: "cluster-1",
  namespaces: 1,
  objects: [{ kind: "Group", count: { ready: 2, notReady: 0 } }],
  problems: [],
  unverified: null,
  orphans: [],
  undeclared: [],
  unreadableGroups: [],
  abandoned: 0,
  breakers: [],
  heldRemovals: null,
  now: Date.parse("2026-02-02T02:02:02.222Z"),
  ...parts,
});
/** The status after the first write of `parts`. */
const written = (parts: Partial<TenantObservation> = {}): TenantStatus => {
  const entries = Object.entries(tenantStatusPatch(observation(parts)) ?? {}).filter(([, value]) => value !== null);
  return { observedGeneration: -1, ...Object.fromEntries(entries) };
};
const readyOf = (parts: Partial<TenantObservation>) =>
  tenantStatusPatch(observation(parts))?.conditions?.find(({ type }) => type === "Ready");

describe("the status of a Tenant", () => {
  it("says that the Tenant is served, by whom, and how many objects it governs", () => {
    expect(tenantStatusPatch(observation())).toMatchObject({
      observedGeneration: 3,
      ownerId: "cluster-1",
      objects: [{ kind: "Group", ready: 2, notReady: 0 }],
      conditions: [{ type: "Ready", status: "True", reason: "Available", lastTransitionTime: "2026-02-02T02:02:02Z" }],
    });
  });

  it("is not written again while nothing changes", () => {
    const later = observation({ tenant: tenant(written()), now: Date.parse("2026-03-03T03:03:03Z") });
    expect(tenantStatusPatch(later)).toBeUndefined();
  });

  it("keeps what an earlier process reported while the present one does not know it yet", () => {
    const parts = { orphans: ["a"], undeclared: ["b", "c"], unreadableGroups: ["d"] };
    const started = {
      objects: [{ kind: "Group", count: null }],
      orphans: null,
      undeclared: null,
      unreadableGroups: null,
    };
    expect(tenantStatusPatch(observation({ tenant: tenant(written(parts)), ...started }))).toBeUndefined();
    expect(tenantStatusPatch(observation(started))?.objects).toEqual([]);
    const known = { ...started, objects: [{ kind: "Group", count: { ready: 1, notReady: 1 } }], undeclared: [] };
    expect(tenantStatusPatch(observation({ tenant: tenant(written(parts)), ...known }))).toEqual({
      objects: [{ kind: "Group", ready: 1, notReady: 1 }],
      undeclared: 0,
      undeclaredUids: null,
    });
  });

  it("changes only the fields that differ, and keeps the time of an unchanged condition", () => {
    const problems = [{ reason: "UnknownRole", message: "spec.roles: emperor does not exist." }] as const;
    const status = written({ problems });
    const other = [{ reason: "RootNotFound", message: "spec.groups: x cannot be read." }] as const;
    const patch = tenantStatusPatch(observation({ tenant: tenant(status), problems: other, now: 0 }));
    expect(Object.keys(patch ?? {})).toEqual(["conditions"]);
    expect(patch?.conditions?.[0]?.lastTransitionTime).toBe("2026-02-02T02:02:02Z");
  });

  it("gives the reason of the first problem and the messages of all", () => {
    const problems = [
      { reason: "TokenExchangeFailed", message: "The exchange was refused." },
      { reason: "UnknownRole", message: "spec.roles: emperor does not exist." },
    ] as const;
    expect(readyOf({ problems })).toMatchObject({
      status: "False",
      reason: "TokenExchangeFailed",
      message: "The exchange was refused. spec.roles: emperor does not exist.",
    });
  });

  it("is not Ready before the credential was checked, and keeps what was reported of the same spec until the first check", () => {
    const first = { unverified: { failure: null } };
    expect(readyOf(first)).toMatchObject({ status: "Unknown", reason: "Checking" });
    expect(tenantStatusPatch(observation({ tenant: tenant(written()), ...first }))).toBeUndefined();
    const edited = { metadata: { name: "shop", generation: 4 }, status: written() };
    expect(readyOf({ tenant: edited, ...first })).toMatchObject({ status: "Unknown", observedGeneration: 4 });
  });

  it("says why the credential could not be checked, also if it worked for an earlier process", () => {
    const unverified = { failure: "no response" };
    expect(readyOf({ tenant: tenant(written()), unverified })).toMatchObject({
      status: "Unknown",
      message: "Whether the credential works could not be checked yet: no response. The operator retries.",
    });
    const problems = [{ reason: "TokenExchangeFailed", message: "The exchange was refused." }] as const;
    expect(readyOf({ problems, unverified })).toMatchObject({ status: "False", reason: "TokenExchangeFailed" });
  });

  it("names open breakers with what confirms them, and forgets them when they are closed", () => {
    const breakers = [{ kind: "Group", id: "g-1", missing: 40 }];
    expect(readyOf({ breakers })).toMatchObject({ status: "False", reason: "HeldByBreaker" });
    expect(readyOf({ breakers })?.message).toContain("Group (g-1)");
    expect(tenantStatusPatch(observation({ tenant: tenant(written({ breakers })) }))).toMatchObject({ breakers: null });
  });

  it("adds up what all breakers hold", () => {
    const breakers = [
      { kind: "Group", id: "g-1", missing: 40 },
      { kind: "Role", id: "r-2", missing: 2 },
    ];
    expect(readyOf({ breakers })?.message).toMatch(/^42 resources disappeared .*: Group \(g-1\), Role \(r-2\)\./);
  });

  it("names removals that wait for a confirmation, and what confirms them", () => {
    expect(readyOf({ heldRemovals: { id: "r-1", resources: 40 } })).toMatchObject({
      status: "False",
      reason: "HeldByBreaker",
      message: expect.stringMatching(/^40 .*iam\.muster\.dev\/confirm.*r-1/),
    });
  });

  it("counts the objects that were abandoned, if there are any", () => {
    expect(written({ abandoned: 2 })).toMatchObject({ abandoned: 2 });
    expect(written()).not.toHaveProperty("abandoned");
    expect(tenantStatusPatch(observation({ tenant: tenant(written({ abandoned: 2 })) }))).toEqual({ abandoned: null });
  });

  it("names ten of many uids, always the same", () => {
    const orphans = Array.from({ length: 25 }, (_, index) => String(index).padStart(2, "0")).toReversed();
    expect(tenantStatusPatch(observation({ orphans }))).toMatchObject({
      orphans: 25,
      orphanUids: ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09"],
    });
  });
});
