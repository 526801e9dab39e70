import { expect, it } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { allMusterKinds, conditionOf, musterObject } from "#test/support/harness/muster-objects.ts";
import { ownerIdOf } from "#test/support/harness/operator-identity.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const tenantRef = { apiVersion: "iam.muster.dev/v1beta1", kind: "Tenant", metadata: { name: "test" } };

describeWithSystem("the status of a Tenant", (system, operator) => {
  const kube = () => system().controlPlane.admin;
  const status = (wanted: (status: KubeObject["status"]) => boolean) =>
    system().waitFor(tenantRef, (tenant) => tenant?.["status"] !== undefined && wanted(tenant["status"]));
  const isReady = (one: KubeObject | undefined) => conditionOf(one, "Ready")?.status;
  const ready = () => system().waitFor(tenantRef, (tenant) => isReady(tenant) === "True");
  const notReady = (reason: string) =>
    system().waitFor(tenantRef, (tenant) => conditionOf(tenant, "Ready")?.reason === reason);

  it("names the owner and counts the objects by kind and readiness", async () => {
    const good = musterObject("Group", "team", "good", { parentUid: system().root });
    await kube().apply(good);
    await kube().apply(musterObject("Group", "team", "bad", { parentRef: { name: "missing" } }));
    await system().ready(good);
    const shown = await status((one) => one.objects?.[0]?.ready === 1 && one.objects?.[0]?.notReady === 1);
    expect(shown?.["status"]).toMatchObject({
      ownerId: await ownerIdOf(system().controlPlane),
      namespaces: 1,
      objects: allMusterKinds.map((kind) => {
        const count = kind === "Group" ? 1 : 0;
        return { kind, ready: count, notReady: count };
      }),
    });
    await ready();
  });

  it.each([
    ["a misspelled role", { roles: ["veiwer"] }, "UnknownRole", "veiwer"],
    ["a role outside of the settings", { roles: ["owner"] }, "TenantDenied", "--allowed-role"],
    ["a group outside of the settings", { groups: ["f".repeat(40)] }, "TenantDenied", "--root-group"],
    ["an unknown kind", { adopt: ["Pod"] }, "InvalidSpec", "Pod"],
  ])("reports %s, and that it was corrected", async (_, change, reason, text) => {
    const before = await kube().get(tenantRef);
    await kube().patch(tenantRef, { spec: change });
    expect(conditionOf(await notReady(reason), "Ready")?.message).toContain(text);
    const restored = Object.fromEntries(Object.keys(change).map((field) => [field, before["spec"][field]]));
    await kube().patch(tenantRef, { spec: restored });
    await ready();
  });

  it("reports a group that does not exist", async () => {
    const { spec } = await kube().get(tenantRef);
    const missing = `${system().root}/ffffffffffffffff`;
    await kube().patch(tenantRef, { spec: { groups: [system().root, missing] } });
    expect(conditionOf(await notReady("RootNotFound"), "Ready")?.message).toContain(missing);
    await kube().patch(tenantRef, { spec: { groups: spec.groups } });
    await ready();
  });

  it("reports a Tenant that selects the same namespace", async () => {
    const other = { ...tenantRef, metadata: { name: "other" }, spec: { namespaces: ["team"] } };
    await kube().apply(other);
    expect(conditionOf(await notReady("Overlap"), "Ready")?.message).toContain("other, test");
    await kube().delete(other);
    await ready();
  });

  it("is in the metrics, with the owner id", async () => {
    const { address } = await operator().process.logged("listening");
    const metrics = await (await fetch(`${String(address)}/metrics`)).text();
    expect(metrics).toContain('muster_tenants{ready="True",reason="Available"} 1');
    expect(metrics).toContain(`muster_owner_info{owner_id="${await ownerIdOf(system().controlPlane)}"} 1`);
  });

  it("is written no more once nothing changes", async () => {
    const before = await ready();
    await kube().patch(musterObject("Group", "team", "good", {}), { metadata: { labels: { touched: "yes" } } });
    await system().ready(musterObject("Group", "team", "good", {}));
    expect((await kube().get(tenantRef)).metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });
});
