import { expect, it, vi } from "vitest";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { secretGrant } from "#test/support/harness/secret-grant.ts";
import { permissiveTenant } from "#test/support/harness/tenants.ts";

describeWithSystem(
  "a group invite",
  (system) => {
    const kube = () => system().controlPlane.admin;
    const secret = (name: string, more: object = {}) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: "team", name },
      ...more,
    });
    const invite = (name: string) =>
      musterObject("GroupInvite", "team", name, {
        groupRef: { name: "shop" },
        roleRef: { name: "viewer" },
        email: `${name}@example.com`,
        expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
        secretRef: { name },
      });
    const ada = invite("ada");
    const existing = () => system().admin.list("groupInvites", system().root);
    const grant = async (name: string, verbs: readonly string[], account: string) => {
      const [namespace = "", serviceAccount = ""] = account.split(":");
      const operator = { namespace, name: serviceAccount };
      for (const object of secretGrant({ namespace: "team", name }, verbs, operator)) await kube().apply(object);
    };
    let account = "";

    it("is created once the Role that the condition prints exists, with its code in the Secret", async () => {
      await kube().apply(musterObject("Group", "team", "shop", { parentUid: system().root }));
      await kube().apply(secret("ada"));
      await kube().apply(ada);
      const refused = await system().waitFor(ada, isUnready("KubernetesForbidden"));
      const { message } = conditionOf(refused, "Ready") ?? { message: "" };
      expect(await existing()).toEqual([]);
      const printed =
        /kubectl create role -n team muster-secret-ada --verb=(\S+) --resource=secrets --resource-name=ada && kubectl create rolebinding -n team muster-secret-ada --role=muster-secret-ada --serviceaccount=(\S+)$/;
      const [, verbs = "", printedAccount = ""] = printed.exec(message) ?? [];
      account = printedAccount;
      await grant("ada", verbs.split(","), account);
      await system().ready(ada, 60_000);
      const { data } = (await kube().get(secret("ada"))) as unknown as { data: Record<string, string> };
      const [code = "", uid] = [data["code"], data["uid"]].map((text = "") => Buffer.from(text, "base64").toString());
      // The harness then looks for the code in every log, object and event.
      system().secrets.push(code);
      const [found] = await existing();
      expect(found).toMatchObject({ uid, email: "ada@example.com", singleUse: true });
      expect(code.startsWith(`${String(found?.["keyId"])}.`)).toBe(true);
    });

    it("is not created for a Secret that is immutable, or may be read only", async () => {
      await kube().apply(secret("eve", { immutable: true }));
      await grant("eve", ["get", "patch"], account);
      await kube().apply(invite("eve"));
      const immutable = await system().waitFor(invite("eve"), isUnready("KubernetesForbidden"));
      expect(conditionOf(immutable, "Ready")?.message).toContain("immutable");
      await kube().apply(secret("bob"));
      await grant("bob", ["get"], account);
      await kube().apply(invite("bob"));
      const readOnly = await system().waitFor(invite("bob"), isUnready("KubernetesForbidden"));
      expect(conditionOf(readOnly, "Ready")?.message).toContain("--verb=get,patch");
      expect(await existing()).toHaveLength(1);
    });

    it("is not created again after it is gone from the platform", async () => {
      const [found] = await existing();
      await system().admin.delete("groupInvites", found?.uid ?? "");
      await system().waitFor(ada, isUnready("ExternalGone"));
      expect(await existing()).toEqual([]);
    });

    it("is deleted with its object", async () => {
      const cid = invite("cid");
      await kube().apply(secret("cid"));
      await grant("cid", ["get", "patch"], account);
      await kube().apply(cid);
      await system().ready(cid, 60_000);
      for (const one of [cid, ada]) await kube().delete(one);
      for (const one of [cid, ada]) await kube().waitFor(one, (object) => object === undefined);
      await vi.waitFor(async () => expect(await existing()).toEqual([]));
    });
  },
  {
    operatorFlags: ["--resync", "5s", "--log-level", "debug"],
    platformFlags: ["--log-level", "debug"],
    tenants: (root, namespaces) => [
      permissiveTenant("test", { namespaces, groups: [root], roles: ["viewer"], kinds: ["Group", "GroupInvite"] }),
    ],
  },
);
