import { describe, expect, it } from "vitest";
import { auditor, owner, root, viewer } from "./memory-platform.ts";
import { Scenario } from "./scenario.ts";
import { auditorViews, ci, denied, markedFor, policy, shop, startWorld, views } from "./undeclared-world.ts";

describe("a grant that nobody declared", () => {
  it("is reported after one resync, with an event, and costs no write while nothing changes", async () => {
    const { kube, scenario, grant, identity, access, status, resync, share, events } = await startWorld("Report");
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
    await resync(10);
    expect(kube.writes).toBe(writes);
    expect(events.filter((event) => event.startsWith("UndeclaredAccess"))).toHaveLength(1);
  });

  it("is no longer reported once it is declared, or gone", async () => {
    const { kube, platform, grant, identity, access, status, resync } = await startWorld("Report");
    const [first, second] = [grant(identity), grant(auditor, viewer)];
    await resync();
    expect(status()?.undeclared).toHaveLength(2);
    platform.remove("roleBindings", first);
    kube.apply(auditorViews);
    await resync(2);
    expect(platform.has(second)).toBe(true);
    expect(access()?.status).toBe("True");
    expect(status()?.undeclared).toBeUndefined();
  });

  it("is no longer reported soon after objects took it over, without another list", async () => {
    const { kube, scenario, grant, stranger, access, status, resync, share } = await startWorld("Report");
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
    expect(kube.writes).toBe(writes + 2 * (kube.admitsFinalizer ? 2 : 3) + 1);
  });

  it.each(["Protect", "Delete"])("is reported while the deletion of the group is blocked: %s", async (deletion) => {
    const { kube, scenario, grant, child, platform, access, status, resync, events } = await startWorld("Remove");
    kube.apply({ ...shop("Remove"), spec: { ...shop("Remove").spec, policy: { ...policy, deletion } } });
    for (const { kind, name } of [views, ci]) kube.remove({ kind, name });
    await scenario.pass(5_000);
    await resync();
    expect(access()?.status).toBe("True");
    const byHand = child("by hand");
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
    await resync(3);
    expect(platform.has(uid)).toBe(true);
    const { writes } = kube;
    await resync();
    expect(kube.writes).toBe(writes);
    platform.remove("groups", byHand);
    platform.remove("roleBindings", uid);
    kube.apply({ ...shop(), spec: { ...shop().spec, policy } });
    await scenario.until("deleted", () => kube.find("Group", "shop") === undefined);
  });

  it("keeps the time of its first sight when another process takes over", async () => {
    const { kube, scenario, grant, identity, status, resync } = await startWorld("Report");
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
    const { grant, identity, access, status, resync, share, events } = await startWorld("Ignore");
    const uid = grant(identity);
    await resync();
    expect([access(), status()?.undeclared]).toEqual([undefined, undefined]);
    expect(events).not.toContain("UndeclaredAccess shop");
    expect(share()?.uids).toContain(uid);
  });

  it("is reported with other kinds: identities and child groups", async () => {
    const { child, stranger, status, access, resync } = await startWorld("Report");
    const identity = stranger();
    const byTerraform = child("by terraform");
    await resync();
    expect(
      status()
        ?.undeclared?.map(({ kind, uid, name }) => [kind, uid, name])
        .toSorted(),
    ).toEqual([
      ["Group", byTerraform, "by terraform"],
      ["Identity", identity, "stranger"],
    ]);
    expect(access()?.message).toContain("1 identity");
  });

  it("above the group is reported to the Tenant only", async () => {
    const { grant, resync, listed, share, access } = await startWorld("Report");
    const uid = grant(auditor, owner, root);
    await resync();
    expect([listed(), access()?.status]).toEqual([[], "True"]);
    expect(share()?.uids).toContain(uid);
  });

  it("is not hidden by an object that only names it, nor by a copied marker", async () => {
    const { kube, grant, stranger, listed, resync } = await startWorld("Report");
    const uid = grant(auditor);
    kube.apply(denied("cover", auditor));
    kube.apply({ ...views, name: "cover-by-uid", spec: { ...views.spec, uid } });
    const copy = stranger({ description: markedFor("ci") });
    await resync();
    expect(listed()).toEqual([uid, copy].toSorted());
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
