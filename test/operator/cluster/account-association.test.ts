import { expect, it, vi } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

const amazon = { account: "123456789012" };
const azure = { tenantId: "6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f" };
const theirs = { name: "by hand", amazon: { account: "210987654321" } };

describeWithSystem(
  "an account association",
  (system) => {
    const kube = () => system().controlPlane.admin;
    const group = musterObject("Group", "team", "shop", { parentUid: "" });
    const association = musterObject("AccountAssociation", "team", "cloud", {
      groupRef: { name: "shop" },
      description: "Accounts of the shop",
      amazon,
      google: { projectId: "acme-shop", projectNumber: "123456789012" },
      azure: { ...azure, clientIds: { ci: "1b2c" } },
      github: { apps: [{ appId: "123", installations: [{ installationId: "41234567", name: "acme" }] }] },
    });
    const external = async () => {
      const [found] = await system().admin.list("accountAssociations", system().root);
      return found;
    };

    it("has every account that the spec names, and the uid of its group", async () => {
      await kube().apply({ ...group, spec: { parentUid: system().root } });
      await kube().apply(association);
      const ready = await system().ready(association);
      const shop = await system().ready(group);
      const found = await external();
      expect(found).toMatchObject({
        uid: shop["status"].uid,
        name: "cloud",
        amazon,
        google: { projectId: "acme-shop", projectNumber: "123456789012" },
        azure: { ...azure, clientIds: { ci: "1b2c" } },
        github: { appInstallations: { 123: { installations: [{ installationId: "41234567", name: "acme" }] } } },
      });
      expect(ready["status"]).toMatchObject({
        uid: found?.uid,
        parentUid: found?.uid,
        createTime: found?.["createTime"],
      });
      expect(ready["status"].drift).toBeUndefined();
    });

    it("loses the accounts that the spec does not name any longer", async () => {
      await kube().patch(association, { spec: { google: null, github: null, azure: { clientIds: null } } });
      await vi.waitFor(async () => {
        const found = await external();
        expect([found?.["google"], found?.["github"], found?.["azure"]]).toEqual([
          undefined,
          undefined,
          { ...azure, clientIds: {} },
        ]);
      }, 30_000);
      await system().ready(association);
      expect((await external())?.["amazon"]).toEqual(amazon);
    });

    it("loses an account that somebody else added", async () => {
      const { uid = "" } = (await external()) ?? {};
      await system().admin.update("accountAssociations", uid, {
        google: { projectId: "theirs", projectNumber: "1" },
      });
      await vi.waitFor(async () => expect((await external())?.["google"]).toBeUndefined(), 30_000);
    });

    it("is another one after somebody deleted it and created theirs, which stays", async () => {
      const { uid = "" } = (await external()) ?? {};
      await system().admin.delete("accountAssociations", uid);
      await system().admin.create("accountAssociations", uid, theirs);
      const shown = await system().waitFor(association, isUnready("Conflict"));
      expect(JSON.stringify(shown?.["status"].conditions)).toContain("which Muster does not manage");
      await kube().delete(association);
      await kube().waitFor(association, (object) => object === undefined);
      expect(await external()).toMatchObject(theirs);
    });

    it("is adopted where object and Tenant say so, and goes before its group if it is to", async () => {
      const { spec } = association as unknown as { readonly spec: object };
      await kube().apply({ ...association, spec: { ...spec, policy: { adoption: "IfExists", deletion: "Delete" } } });
      const ready = await system().ready(association);
      expect(ready["status"].management).toBe("Adopted");
      expect((await external())?.["amazon"]).toEqual(amazon);
      await kube().delete(group);
      await kube().delete(association);
      await kube().waitFor(group, (object) => object === undefined);
      expect(await external()).toBeUndefined();
    });
  },
  {
    operatorFlags: ["--resync", "5s"],
    tenants: (root, namespaces) => {
      const tenant = permissiveTenant("test", {
        namespaces,
        groups: [root],
        roles: ["viewer"],
        kinds: ["Group", "AccountAssociation"],
      });
      return [{ ...tenant, spec: { ...(tenant["spec"] as object), adopt: ["AccountAssociation"] } }];
    },
  },
);
