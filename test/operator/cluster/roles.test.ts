import { beforeAll, expect, it } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { conditionOf, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "a role that an object declares",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const scanner = (capabilities: readonly string[]) =>
      musterObject("Role", "team", "scanner", { groupRef: { name: "images" }, capabilities });
    const capabilities = ["CAP_TAG_LIST", "CAP_REPO_LIST"];
    const scans = musterObject("RoleBinding", "team", "ci-scans", {
      groupRef: { name: "images" },
      identityRef: { name: "ci" },
      roleRef: { kind: "Role", name: "scanner" },
    });
    const uidOfRole = async () => (await system().ready(ref("Role", "team", "scanner")))["status"].uid as string;

    beforeAll(async () => {
      const objects = [
        scans,
        scanner(capabilities),
        musterObject("Identity", "team", "ci", {
          groupRef: { name: "images" },
          claimMatch: { issuer: "https://issuer.example", subject: "ci" },
        }),
        musterObject("Group", "team", "images", { parentUid: system().root }),
      ];
      for (const object of objects) await kube().apply(object);
      for (const object of objects) await system().ready(object);
    });

    it("is created, and bound", async () => {
      expect(await differencesFromPlatform(system())).toEqual([]);
      const binding = await system().ready(scans);
      expect(binding["status"].roleUid).toBe(await uidOfRole());
    });

    it("is restored after others gave it more", async () => {
      const uid = await uidOfRole();
      const { process } = operator();
      const from = process.log.length;
      await system().admin.update("roles", uid, { capabilities: ["CAP_REPO_LIST", "CAP_REPO_DELETE"] });
      await process.logged(
        (line) => line.msg === "platform changed" && line["step"] === "update" && line["name"] === "scanner",
        from,
      );
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("does not get what none of the Tenant's roles has", async () => {
      await kube().apply(scanner([...capabilities, "CAP_IAM_GROUPS_DELETE"]));
      const denied = await system().waitFor(ref("Role", "team", "scanner"), isUnready("TenantDenied"));
      expect(conditionOf(denied, "Ready")?.message).toContain("does not allow CAP_IAM_GROUPS_DELETE");
      await kube().apply(scanner(["CAP_REPO_LIST"]));
      await system().ready(ref("Role", "team", "scanner"));
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("is deleted after what binds it", async () => {
      await kube().delete(ref("Role", "team", "scanner"));
      await system().waitFor(ref("Role", "team", "scanner"), isUnready("ChildrenExist"));
      await kube().delete(scans);
      await system().gone(ref("Role", "team", "scanner"));
      expect(await differencesFromPlatform(system())).toEqual([]);
    });
  },
  { operatorFlags: ["--resync", "1s"] },
);
