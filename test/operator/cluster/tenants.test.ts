import { expect, it } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import type { System } from "#test/support/harness/system.ts";
import { permissiveTenant, tenantObject, tenantRef } from "#test/support/harness/tenants.ts";

const finalizer = "iam.muster.dev/external";

function group(system: System, namespace: string, name: string, parentUid = system.root) {
  return musterObject("Group", namespace, name, { parentUid });
}

async function applyNamespace({ controlPlane }: System, name: string, labels: Record<string, string> = {}) {
  await controlPlane.admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
}

describeWithSystem(
  "Tenants",
  (system) => {
    it("a namespace gains and loses its Tenant by a label, without a restart", async () => {
      const { admin } = system().controlPlane;
      await applyNamespace(system(), "labelled");
      await admin.apply(group(system(), "labelled", "first"));
      await system().waitFor(ref("Group", "labelled", "first"), isUnready("NoTenant"));
      const before = (await system().admin.list("groups")).length;

      await applyNamespace(system(), "labelled", { team: "shop" });
      const first = await system().ready(ref("Group", "labelled", "first"), 5_000);
      expect(first["status"]).toMatchObject({ tenant: "by-label" });
      expect(await system().admin.list("groups")).toHaveLength(before + 1);

      await applyNamespace(system(), "labelled", { team: "none" });
      await system().waitFor(ref("Group", "labelled", "first"), isUnready("NoTenant"));
      expect(await system().admin.list("groups")).toHaveLength(before + 1);

      // The Tenant that the status names completes the deletion, although it no longer selects the namespace.
      await admin.delete(ref("Group", "labelled", "first"));
      await system().gone(ref("Group", "labelled", "first"));
      expect(await system().admin.list("groups")).toHaveLength(before);
    });

    it("nothing is done in a namespace that two Tenants select", async () => {
      const { admin } = system().controlPlane;
      await applyNamespace(system(), "contested", { team: "shop" });
      await admin.apply(tenantObject("contender", { namespaces: ["contested"], groups: [system().root] }));
      await admin.apply(group(system(), "contested", "disputed"));
      await system().waitFor(ref("Group", "contested", "disputed"), isUnready("Overlap"));
      expect((await system().admin.list("groups")).map(({ name }) => name)).not.toContain("disputed");
      await admin.delete(tenantRef("contender"));
      await system().ready(ref("Group", "contested", "disputed"), 5_000);
    });

    it("a Tenant that is deleted serves the deletion of its objects, and then goes", async () => {
      const { admin } = system().controlPlane;
      await applyNamespace(system(), "leaving");
      await admin.apply(permissiveTenant("leaving", { namespaces: ["leaving"], groups: [system().root], roles: [] }));
      await admin.apply(group(system(), "leaving", "kept"));
      await system().ready(ref("Group", "leaving", "kept"));
      await system().waitFor(
        tenantRef("leaving"),
        (tenant) => tenant?.metadata.finalizers?.includes(finalizer) === true,
      );

      await admin.delete(tenantRef("leaving"));
      await system().waitFor(ref("Group", "leaving", "kept"), isUnready("NoTenant"));
      await admin.apply(group(system(), "leaving", "late"));
      await system().waitFor(ref("Group", "leaving", "late"), isUnready("NoTenant"));
      expect(await admin.find(tenantRef("leaving"))).toBeDefined();

      await admin.delete(ref("Group", "leaving", "late"));
      await admin.delete(ref("Group", "leaving", "kept"));
      await system().gone(ref("Group", "leaving", "kept"));
      await system().gone(tenantRef("leaving"));
      expect((await system().admin.list("groups")).map(({ name }) => name)).not.toContain("kept");
    });
  },
  {
    namespaces: ["team"],
    tenants: (root, namespaces) => [
      permissiveTenant("test", { namespaces, groups: [root], roles: ["viewer"] }),
      tenantObject("by-label", { namespaceSelector: { matchLabels: { team: "shop" } }, groups: [root] }),
    ],
  },
);
