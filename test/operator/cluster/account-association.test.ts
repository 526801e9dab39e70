import { expect, it, vi } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

const amazon = { account: "123456789012" };
const azure = { tenantId: "6f9a2f5e-0d0c-4a53-9d3d-5a1c2b3d4e5f" };

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
  },
  {
    tenants: (root, namespaces) => [
      permissiveTenant("test", {
        namespaces,
        groups: [root],
        roles: ["viewer"],
        kinds: ["Group", "AccountAssociation"],
      }),
    ],
  },
);
