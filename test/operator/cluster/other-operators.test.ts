import { beforeAll, expect, it } from "vitest";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";
import { ownerIdOf } from "#test/support/harness/operator-identity.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";

const claimMatch = { issuer: "https://issuer.example", subject: "operator" };

describeWithSystem(
  "the identity of another operator",
  (system) => {
    const kube = () => system().controlPlane.admin;
    const shop = ref("Group", "team", "shop");
    let group: string;
    let identity: string;
    let binding: string;

    beforeAll(async () => {
      const { admin, root } = system();
      await kube().patch(tenantRef("test"), { spec: { undeclared: "Remove" } });
      const object = musterObject("Group", "team", "shop", { parentUid: root, undeclared: "Remove" });
      await kube().apply(object);
      group = (await system().ready(object))["status"].uid;
      identity = (
        await admin.create("identities", group, {
          name: "operator",
          claimMatch,
          description: withRecordedOwner("", "another-cluster"),
        })
      ).uid;
      const viewer = (await admin.list("roles")).find((role) => role.name === "viewer" && !role.uid.includes("/"));
      binding = (await admin.create("roleBindings", group, { identityUid: identity, roleUid: viewer?.uid })).uid;
      const lists = (one: KubeObject | undefined) =>
        (one?.["status"]?.undeclared ?? []).some(({ uid }: { readonly uid: string }) => uid === identity);
      await system().waitFor(object, lists);
    });

    const bindings = async () => (await system().admin.list("roleBindings", group)).map(({ uid }) => uid);
    const present = () => system().admin.get("identities", identity);

    it("gets no other role", async () => {
      const object = musterObject("RoleBinding", "team", "pulls", {
        groupUid: group,
        identityUid: identity,
        roleRef: { name: "registry.pull" },
      });
      await kube().apply(object);
      const shown = await system().waitFor(object, isUnready("TenantDenied"));
      expect(conditionOf(shown, "Ready")?.message).toContain("is a credential");
      expect(await bindings()).toEqual([binding]);
    });

    it("keeps its role binding, which nobody may declare", async () => {
      const object = musterObject("RoleBinding", "team", "views", {
        groupUid: group,
        identityUid: identity,
        roleRef: { name: "viewer" },
      });
      await kube().apply(object);
      await system().waitFor(object, isUnready("TenantDenied"));
      await kube().delete(object);
      await system().gone(object);
      expect(await bindings()).toEqual([binding]);
    });

    it("is not reported if it serves another class of this cluster", async () => {
      const { admin, root, controlPlane } = system();
      const object = musterObject("Group", "team", "classes", { parentUid: root });
      await kube().apply(object);
      const { uid } = (await system().ready(object))["status"];
      const create = (name: string, description: string) =>
        admin.create("identities", uid, { name, claimMatch: { ...claimMatch, subject: name }, description });
      await create("blue", withRecordedOwner("", `${await ownerIdOf(controlPlane)}/blue`));
      const stranger = await create("stranger", "");
      const reports = (one: KubeObject | undefined) => one?.["status"]?.undeclared !== undefined;
      const shown = await system().waitFor(object, reports);
      expect(shown?.["status"].undeclared).toEqual([expect.objectContaining({ uid: stranger.uid })]);
    });

    it("is not adopted", async () => {
      const object = musterObject("Identity", "team", "operator", {
        groupUid: group,
        claimMatch: { ...claimMatch, subject: "attacker" },
        policy: { adoption: "IfExists" },
      });
      await kube().apply(object);
      await system().waitFor(object, isUnready("Conflict"));
      await kube().delete(object);
      await system().gone(object);
      expect(await present()).toMatchObject({ claimMatch });
    });

    it("is spared as undeclared access, while what is not spared is removed", async () => {
      const { admin, root } = system();
      await kube().delete(ref("RoleBinding", "team", "pulls"));
      const other = musterObject("Group", "team", "other", { parentUid: root, undeclared: "Remove" });
      await kube().apply(other);
      const { uid } = (await system().ready(other))["status"];
      const stray = await admin.create("identities", uid, { name: "stray", claimMatch });
      await expect
        .poll(async () => (await admin.list("identities", uid)).map((one) => one.uid), { timeout: 20_000 })
        .not.toContain(stray.uid);
      const spared = (object: KubeObject | undefined) =>
        conditionOf(object, "AccessDeclared")?.message.includes("another Muster installation") === true;
      await system().waitFor(shop, spared);
      expect(await bindings()).toEqual([binding]);
      expect(await present()).toMatchObject({ claimMatch });
    });
  },
  { operatorFlags: ["--resync", "1s"] },
);
