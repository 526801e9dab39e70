import { describe, expect, it } from "vitest";
import type { CachedTenant } from "#src/reconcile/tenancy/cached-tenant.ts";
import { OperatorMetrics } from "#src/telemetry/operator-metrics.ts";
import { OperatorTelemetry } from "#src/commands/operator/telemetry.ts";
import { Store } from "#src/kube/store.ts";
import { createLog } from "#src/telemetry/log.ts";
import { pausedAnnotation } from "#src/api/annotations.ts";
import type { Status } from "#src/api/status.ts";
import { defaultKinds } from "#src/api/tenant.ts";
import { listIdentityProviders } from "#src/platform-client/identity-providers.ts";
import { kinds } from "#src/kinds/kinds.ts";
import { markerOf, objectHash, ownerHash, withMarker } from "#src/kinds/marker.ts";
import { PlatformFailure } from "#src/platform-client/failure.ts";
import type { Manifest } from "./memory-kube.ts";
import { auditor, operatorIdentity, owner, root, viewer } from "./memory-platform.ts";
import { crashMoments } from "./operator-process.ts";
import { type Fault, Scenario, type ScenarioOptions } from "./scenario.ts";

const policy = { adoption: "Never", deletion: "Delete", drift: "Correct" };
const provider = "https://login.example";
const providers = "identityProviders";

type Mode = "Ignore" | "Report" | "Remove";

const shop = (undeclared: Mode = "Report"): Manifest => ({
  kind: "Group",
  name: "shop",
  spec: { parentUid: root, undeclared, policy },
});
const ci: Manifest = {
  kind: "Identity",
  name: "ci",
  spec: { groupRef: { name: "shop" }, claimMatch: { issuer: "https://issuer.example", subject: "ci" }, policy },
};
const views: Manifest = {
  kind: "RoleBinding",
  name: "ci-views",
  spec: { groupRef: { name: "shop" }, identityRef: { name: "ci" }, roleRef: { name: "viewer" }, policy },
};

/** A cluster with a declared group, identity and grant, and a platform that others write to, too. */
async function start(
  undeclared: Mode,
  options: Pick<ScenarioOptions, "boundary" | "breakGlass" | "confirmation"> = {},
) {
  const scenario = new Scenario({}, undefined, undefined, options);
  const { kube, platform } = scenario;
  for (const manifest of [shop(undeclared), ci, views]) kube.apply(manifest);
  const uidOf = (kind: string, name: string) => (kube.find(kind, name)?.status as Status | undefined)?.uid ?? "";
  await scenario.until("all have uids", () => [shop(), ci, views].every(({ kind, name }) => uidOf(kind, name) !== ""));
  await scenario.pass(1_000);
  const group = uidOf("Group", "shop");
  let count = 0xabc0;
  const below = (parent: string) => `${parent}/${(count++).toString(16).padStart(16, "0")}`;
  return {
    events: scenario.events,
    scenario,
    kube,
    platform,
    group,
    identity: uidOf("Identity", "ci"),
    uidOf,
    /** What another client creates. */
    grant: (identityUid: string, roleUid = owner, parent = group): string => {
      const uid = below(parent);
      platform.set("roleBindings", {
        uid,
        identity: { uid: identityUid, name: "" },
        role: { uid: roleUid, name: roleUid === owner ? "owner" : "viewer" },
      });
      return uid;
    },
    stranger: (fields: object = {}, parent = group): string => {
      const uid = below(parent);
      const claimMatch = { issuer: "https://elsewhere.example", subject: uid };
      platform.set("identities", { uid, name: "stranger", description: "", claimMatch, ...fields });
      return uid;
    },
    status: () => kube.find("Group", "shop")?.status as Status | undefined,
    access: () =>
      (kube.find("Group", "shop")?.status as Status | undefined)?.conditions?.find(
        ({ type }) => type === "AccessDeclared",
      ),
    listed: () =>
      ((kube.find("Group", "shop")?.status as Status | undefined)?.undeclared ?? []).map(({ uid }) => uid).toSorted(),
    /** The uids of what exists, of those given. */
    existing: (...uids: string[]) => uids.filter((uid) => platform.has(uid)),
    resync: async () => {
      await scenario.resync();
      await scenario.pass(1_000);
    },
    share: () => scenario.process.undeclared.shareOf("all"),
  };
}

/** The metrics of the operator. */
function metricsOf({ process: { sources, undeclared } }: Scenario): Promise<string> {
  const telemetry = new OperatorTelemetry(createLog({ level: "error" }), new OperatorMetrics());
  telemetry.watchSources(sources, { tenants: new Store<CachedTenant>({ indexes: {} }), class: "" }, undeclared);
  return telemetry.metrics.text();
}

describe("a grant that nobody declared", () => {
  it("is reported after one resync, with an event, and costs no write while nothing changes", async () => {
    const { kube, scenario, grant, identity, access, status, resync, share, events } = await start("Report");
    expect(access()?.status).toBe("True");
    const uid = grant(identity);
    await resync();
    expect(access()).toMatchObject({ status: "False", reason: "UndeclaredAccess" });
    expect(access()?.message).toContain("1 role binding;");
    expect(status()?.undeclared).toEqual([
      expect.objectContaining({ kind: "RoleBinding", uid, identityUid: identity, role: "owner" }),
    ]);
    expect(events).toContain("UndeclaredAccess shop");
    expect(share()?.uids).toContain(uid);
    expect(scenario.process.undeclared.counts().get("RoleBinding")).toBe(1);
    const { writes } = kube;
    for (let count = 0; count < 10; count += 1) await resync();
    expect(kube.writes).toBe(writes);
    expect(events.filter((event) => event.startsWith("UndeclaredAccess"))).toHaveLength(1);
  });

  it("is no longer reported once it is declared, or gone", async () => {
    const { kube, platform, grant, identity, access, status, resync } = await start("Report");
    const [first, second] = [grant(identity), grant(auditor, viewer)];
    await resync();
    expect(status()?.undeclared).toHaveLength(2);
    platform.remove("roleBindings", first);
    kube.apply({
      ...views,
      name: "auditor",
      spec: { groupRef: { name: "shop" }, identityUid: auditor, roleRef: { name: "viewer" }, policy },
    });
    await resync();
    await resync();
    expect(platform.has(second)).toBe(true);
    expect(access()?.status).toBe("True");
    expect(status()?.undeclared).toBeUndefined();
  });

  it("is no longer reported soon after objects took it over, without another list", async () => {
    const { kube, scenario, grant, stranger, access, status, resync, share } = await start("Report");
    const [first, second, other] = [stranger(), stranger(), grant(auditor)];
    await resync();
    expect(status()?.undeclared).toHaveLength(3);
    const { writes } = kube;
    for (const uid of [first, second])
      kube.apply({
        ...ci,
        name: uid.slice(-4),
        spec: { ...ci.spec, uid, policy: { ...policy, adoption: "IfExists" } },
      });
    await scenario.pass(5_000);
    expect(status()?.undeclared?.map(({ uid }) => uid)).toEqual([other]);
    expect(access()?.message).toContain("1 role binding;");
    expect(share()?.uids).toContain(other);
    for (const uid of [first, second]) expect(share()?.uids).not.toContain(uid);
    // A finalizer and two statuses for each of the two objects, and one status of the group for both.
    expect(kube.writes).toBe(writes + 2 * 3 + 1);
  });

  it.each(["Protect", "Delete"])("is reported while the deletion of the group is blocked: %s", async (deletion) => {
    const { kube, scenario, grant, platform, group, access, status, resync, events } = await start("Remove");
    kube.apply({ ...shop("Remove"), spec: { ...shop("Remove").spec, policy: { ...policy, deletion } } });
    for (const { kind, name } of [views, ci]) kube.remove({ kind, name });
    await scenario.pass(5_000);
    await resync();
    expect(access()?.status).toBe("True");
    const child = `${group}/00000000000000cc`;
    platform.set("groups", { uid: child, name: "by hand", description: "" });
    kube.remove(shop());
    await scenario.pass(60_000);
    const uid = grant(auditor);
    await resync();
    expect(status()?.conditions?.find(({ type }) => type === "Ready")?.reason).toBe(
      deletion === "Protect" ? "Protected" : "ChildrenExist",
    );
    expect(access()).toMatchObject({
      status: "False",
      observedGeneration: kube.find("Group", "shop")?.metadata.generation,
    });
    expect(status()?.undeclared).toHaveLength(2);
    expect(events).toContain("UndeclaredAccess shop");
    // What is about to go with its group is reported, and not removed on its own.
    for (let count = 0; count < 3; count += 1) await resync();
    expect(platform.has(uid)).toBe(true);
    const { writes } = kube;
    await resync();
    expect(kube.writes).toBe(writes);
    platform.remove("groups", child);
    platform.remove("roleBindings", uid);
    kube.apply({ ...shop(), spec: { ...shop().spec, policy } });
    await scenario.until("deleted", () => kube.find("Group", "shop") === undefined);
  });

  it("keeps the time of its first sight when another process takes over", async () => {
    const { kube, scenario, grant, identity, status, resync } = await start("Report");
    grant(identity);
    await resync();
    const before = status()?.undeclared;
    const { writes } = kube;
    await scenario.restart();
    await scenario.pass(60_000);
    await resync();
    scenario.process.reconcileAll();
    await scenario.pass(1_000);
    expect(status()?.undeclared).toEqual(before);
    expect(kube.writes).toBe(writes);
  });

  it("is hidden from the Group by Ignore, but not from the Tenant", async () => {
    const { grant, identity, access, status, resync, share, events } = await start("Ignore");
    const uid = grant(identity);
    await resync();
    expect([access(), status()?.undeclared]).toEqual([undefined, undefined]);
    expect(events).not.toContain("UndeclaredAccess shop");
    expect(share()?.uids).toContain(uid);
  });

  it("is reported with other kinds: identities and child groups", async () => {
    const { platform, group, stranger, status, access, resync } = await start("Report");
    const identity = stranger();
    const child = `${group}/00000000000000ff`;
    platform.set("groups", { uid: child, name: "by terraform", description: "" });
    await resync();
    expect(
      status()
        ?.undeclared?.map(({ kind, uid, name }) => [kind, uid, name])
        .toSorted(),
    ).toEqual([
      ["Group", child, "by terraform"],
      ["Identity", identity, "stranger"],
    ]);
    expect(access()?.message).toContain("1 identity");
  });

  it("above the group is reported to the Tenant only", async () => {
    const { grant, resync, listed, share, access } = await start("Report");
    const uid = grant(auditor, owner, root);
    await resync();
    expect([listed(), access()?.status]).toEqual([[], "True"]);
    expect(share()?.uids).toContain(uid);
  });

  it("is not hidden by an object that only names it, nor by a copied marker", async () => {
    const { kube, grant, stranger, listed, resync } = await start("Report");
    const uid = grant(auditor);
    // The Tenant does not let anybody bind owner.
    kube.apply({
      ...views,
      name: "cover",
      spec: { groupRef: { name: "shop" }, identityUid: auditor, roleUid: owner, policy },
    });
    kube.apply({ ...views, name: "cover-by-uid", spec: { ...views.spec, uid } });
    const marker = markerOf(ownerHash("cluster"), objectHash("Identity", "team", "ci"));
    const copy = stranger({ description: withMarker("", marker) });
    await resync();
    expect(listed()).toEqual([uid, copy].toSorted());
  });
});

describe("Remove", () => {
  it("removes a grant and an identity after two resyncs, and nothing declared", async () => {
    const { scenario, identity, group, grant, stranger, existing, resync, access, uidOf, events, share } =
      await start("Remove");
    const other = stranger();
    const [first, second] = [grant(identity), grant(other)];
    await resync();
    expect(existing(first, second, other)).toEqual([first, second, other]);
    await resync();
    // An identity goes after its role bindings.
    expect(existing(first, second, other)).toEqual([other]);
    // The Tenant's status counts what the metric counts.
    const counts = Object.fromEntries(scenario.process.undeclared.counts());
    expect(counts).toEqual({ ...Object.fromEntries(kinds.map(({ name }) => [name, 0])), Identity: 2 });
    expect(share()?.uids.toSorted()).toEqual([auditor, other]);
    await resync();
    expect(existing(first, second, other, identity, group, uidOf("RoleBinding", "ci-views"))).toHaveLength(3);
    expect(access()?.status).toBe("True");
    expect(events.filter((event) => event === "Deleted shop")).toHaveLength(3);
  });

  it.each<[string, Parameters<typeof start>[1]]>([
    ["the Tenant says Report", { boundary: { undeclared: "Report" } }],
    ["the identity is in breakGlass", { breakGlass: [auditor] }],
  ])("spares it where %s", async (_, options) => {
    const { grant, existing, resync, access } = await start("Remove", options);
    const uid = grant(auditor);
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("Not removed: 1 (");
  });

  it("spares people, in the group of their provider and below, and removes what is next to them", async () => {
    const { platform, grant, stranger, existing, resync } = await start("Remove");
    platform.set(providers, { uid: `${root}/00000000000000fe`, oidc: { issuer: `${provider}/` } });
    const people = [
      stranger({ claimMatch: { issuer: provider, subject: "ana" } }),
      stranger({ claimMatch: { issuerPattern: "https://.*", subject: "ben" } }),
    ];
    const grants = people.map((uid) => grant(uid));
    const machine = grant(stranger());
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(...people, ...grants, machine)).toEqual([...people, ...grants]);
  });

  it("only reports where the identity providers cannot be listed", async () => {
    const boundary = { kinds: defaultKinds };
    const { platform, grant, existing, resync, access, identity } = await start("Remove", { boundary });
    const capabilities = platform.listCapabilities.filter((one) => one !== listIdentityProviders);
    platform.set("roles", { uid: owner, name: "owner", capabilities });
    const uid = grant(identity);
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("identity providers");
  });

  it("only reports where an identity of another owner is present", async () => {
    const { grant, stranger, existing, resync, access, identity } = await start("Remove");
    const marker = markerOf(ownerHash("another cluster"), objectHash("Identity", "team", "ci"));
    const theirs = stranger({ description: withMarker("", marker) });
    const uid = grant(identity);
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(uid, theirs)).toEqual([uid, theirs]);
    expect(access()?.message).toContain("another Muster installation");
  });

  it("spares credentials, orphans, what objects name in any state, and child groups", async () => {
    const { kube, platform, group, grant, stranger, existing, resync } = await start("Remove");
    const orphan = stranger({
      description: withMarker("", markerOf(ownerHash("cluster"), objectHash("Identity", "team", "gone"))),
    });
    const named = stranger();
    const child = `${group}/00000000000000ff`;
    platform.set("groups", { uid: child, name: "child", description: "" });
    const grants = [grant(operatorIdentity), grant(orphan), grant(auditor)];
    // Both are denied: the Tenant does not let anybody bind owner.
    kube.apply({
      ...views,
      name: "denied",
      spec: { groupRef: { name: "shop" }, identityUid: auditor, roleUid: owner, policy },
    });
    kube.apply({
      ...views,
      name: "denied-too",
      spec: { groupRef: { name: "shop" }, identityUid: named, roleUid: owner, policy },
    });
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(orphan, named, child, ...grants)).toHaveLength(6);
  });

  it("looks at the objects right before a removal", async () => {
    const { kube, scenario, grant, existing, resync } = await start("Remove");
    const uid = grant(auditor, viewer);
    await resync();
    // The second resync finds the grant undeclared; the object arrives before the removal.
    kube.annotate("Group", "shop", { [pausedAnnotation]: "true" });
    await resync();
    kube.apply({
      ...views,
      name: "just-now",
      spec: { groupRef: { name: "shop" }, identityUid: auditor, roleRef: { name: "viewer" }, policy },
    });
    await scenario.pass(1_000);
    kube.annotate("Group", "shop", {});
    await scenario.pass(5_000);
    expect(existing(uid)).toEqual([uid]);
  });

  it("removes nothing in a group that only a uid names", async () => {
    const { kube, platform, group, grant, existing, resync, share, identity } = await start("Remove");
    const team = `${group}/00000000000000f0`;
    platform.set("groups", { uid: team, name: "team", description: "" });
    const { claimMatch } = ci.spec as unknown as { readonly claimMatch: object };
    kube.apply({ ...ci, name: "guest", spec: { groupUid: team, claimMatch, policy } });
    const uid = grant(identity, owner, team);
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(uid)).toEqual([uid]);
    expect(share()?.uids).toContain(uid);
  });

  it("backs off from a writer that creates the same grant again, three times within an hour", async () => {
    const { grant, identity, existing, resync, access } = await start("Remove");
    let uid = "";
    for (let removals = 0; removals < 3; removals += 1) {
      uid = grant(identity);
      await resync();
      await resync();
      expect(existing(uid)).toEqual([]);
    }
    uid = grant(identity);
    for (let count = 0; count < 4; count += 1) await resync();
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("another writer");
  });

  it("tries a removal that fails once per resync, and the Group stays Ready", async () => {
    const { platform, grant, identity, existing, resync, access, scenario } = await start("Remove");
    let attempts = 0;
    platform.delete = async () => {
      attempts += 1;
      throw new PlatformFailure("delete roleBindings", { kind: "noResponse", message: "away" });
    };
    const uid = grant(identity);
    await resync();
    for (let count = 1; count <= 3; count += 1) {
      await resync();
      await scenario.pass(30_000);
      expect(attempts).toBe(count);
    }
    expect(existing(uid)).toEqual([uid]);
    expect(access()?.message).toContain("the last attempt failed");
    expect(scenario.differences([shop("Remove")])).not.toContainEqual(expect.stringContaining("not Ready"));
  });

  it("asks before it removes many at once", async () => {
    let confirmation: string | undefined;
    const { scenario, grant, stranger, existing, resync, access, share } = await start("Remove", {
      confirmation: () => confirmation,
    });
    const identity = stranger({}, root);
    const uids = Array.from({ length: 45 }, () => grant(identity));
    for (let count = 0; count < 3; count += 1) await resync();
    expect(existing(...uids)).toHaveLength(45);
    expect(share()?.held?.uids.size).toBe(45);
    expect(await metricsOf(scenario)).toContain("muster_breaker 45");
    confirmation = share()?.held?.id;
    expect(access()?.message).toContain(String(confirmation));
    expect(scenario.process.undeclared.groupsHeldBy("all", "another id")).toEqual([]);
    expect(scenario.process.undeclared.groupsHeldBy("all", confirmation ?? "")).toHaveLength(1);
    await scenario.resync();
    // The next resync comes in the middle of it, and does not ask again.
    await resync();
    expect(existing(...uids)).toEqual([]);
  });
});

it("looks only into groups within the Tenant", async () => {
  const [ours, theirs] = [`${root}/00000000000000e1`, `${root}/00000000000000e2`];
  const scenario = new Scenario({}, undefined, undefined, { boundary: { groups: [ours] } });
  const { kube, platform } = scenario;
  const secret = `${theirs}/00000000000000e3`;
  for (const uid of [ours, theirs]) platform.set("groups", { uid, name: "team", description: "" });
  platform.set("identities", { uid: secret, name: "secret", description: "" });
  kube.apply({ kind: "Group", name: "inner", spec: { parentUid: ours, policy } });
  const claimMatch = { issuer: "https://issuer.example", subject: "spy" };
  kube.apply({ kind: "Identity", name: "spy", spec: { groupUid: theirs, claimMatch, policy } });
  await scenario.pass(5_000);
  await scenario.resync();
  await scenario.pass(1_000);
  const { undeclared } = scenario.process;
  expect(undeclared.shareOf("all")?.uids).not.toContain(secret);
  expect(undeclared.counts().get("Identity")).toBe(1);
});

describe("a process that dies", () => {
  const declared = [shop("Remove"), ci, views];
  /** Grants are made by hand, and removed by however many processes that takes. */
  async function run(fault: Fault): Promise<Scenario> {
    const scenario = new Scenario(fault);
    const { kube, platform } = scenario;
    for (const manifest of declared) kube.apply(manifest);
    await scenario.until("Ready", () => scenario.differences(declared).length === 0);
    const group = (kube.find("Group", "shop")?.status as Status | undefined)?.uid ?? "";
    for (const last of ["a", "b"])
      platform.set("roleBindings", {
        uid: `${group}/000000000000000${last}`,
        identity: { uid: auditor, name: "" },
        role: { uid: owner, name: "owner" },
      });
    for (let resyncs = 0; resyncs < 6; resyncs += 1) {
      await scenario.resync();
      await scenario.pass(60_000);
    }
    return scenario;
  }

  it("removes nothing that is declared, wherever it dies, and its successor removes the rest", async () => {
    const { calls } = await run({});
    expect(calls).toBeGreaterThan(40);
    let points = 0;
    for (let call = 0; call < calls; call += 1)
      for (const when of crashMoments) {
        points += 1;
        const scenario = await run({ crash: { call, when } });
        expect([call, when, scenario.differences(declared)]).toEqual([call, when, []]);
      }
    process.stdout.write(`${points} crash points\n`);
  });
});
