import { beforeAll, expect, it } from "vitest";
import { collectionOf, differencesFromPlatform, withoutMarker } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject, type MusterKind, ref } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "what another hand does on the platform",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const uidOf = async (kind: MusterKind, name: string): Promise<string> =>
      (await system().ready(ref(kind, "team", name)))["status"].uid;

    /** Does it with the administrator's hand, and waits until the operator has changed the same object afterwards. */
    async function andMended(step: "update" | "create", name: string, doIt: () => Promise<unknown>): Promise<void> {
      const { process } = operator();
      const from = process.log.length;
      await doIt();
      await process.logged(
        (line) => line.msg === "platform changed" && line["step"] === step && line["name"] === name,
        from,
      );
    }

    beforeAll(async () => {
      const objects = [
        musterObject("Group", "team", "payments", { parentUid: system().root, description: "Money" }),
        musterObject("Group", "team", "reported", {
          parentUid: system().root,
          description: "As the spec says",
          policy: { drift: "Report" },
        }),
        musterObject("Identity", "team", "builds", {
          groupRef: { name: "payments" },
          claimMatch: { issuer: "https://issuer.example", subject: "builds" },
        }),
        musterObject("RoleBinding", "team", "builds-view", {
          groupRef: { name: "payments" },
          identityRef: { name: "builds" },
          roleRef: { name: "viewer" },
        }),
      ];
      for (const object of objects) await kube().apply(object);
      for (const object of objects) await system().ready(object);
    });

    it("a changed description and a changed name are set back", async () => {
      const uid = await uidOf("Group", "payments");
      await andMended("update", "payments", () =>
        system().admin.update("groups", uid, { description: "Mine now", name: "mine" }),
      );
      const row = await system().admin.get("groups", uid);
      expect([row.name, withoutMarker(row.description)]).toEqual(["payments", "Money"]);
    });

    it("a marker that was taken away is put back", async () => {
      const uid = await uidOf("Identity", "builds");
      await andMended("update", "builds", () => system().admin.update("identities", uid, { description: "" }));
      expect(await differencesFromPlatform(system())).toEqual([]);
      expect((await system().admin.get("identities", uid)).description).toMatch(/^\[muster:/);
    });

    it("a changed claim match is set back", async () => {
      const uid = await uidOf("Identity", "builds");
      await andMended("update", "builds", () =>
        system().admin.update("identities", uid, {
          claimMatch: { issuer: "https://elsewhere.example", subject: "thief" },
        }),
      );
      expect((await system().admin.get("identities", uid))["claimMatch"]).toMatchObject({
        issuer: "https://issuer.example",
        subject: "builds",
      });
    });

    it("a binding that was given another role is set back", async () => {
      const uid = await uidOf("RoleBinding", "builds-view");
      const owner = (await system().admin.list("roles")).find((role) => role.name === "owner");
      await andMended("update", "builds-view", () =>
        system().admin.update("roleBindings", uid, { roleUid: owner?.uid }),
      );
      expect((await system().admin.get("roleBindings", uid))["role"].name).toBe("viewer");
    });

    it("what was deleted is made anew, and what needed it too", async () => {
      const [identity, binding] = [await uidOf("Identity", "builds"), await uidOf("RoleBinding", "builds-view")];
      // The platform deletes the binding along with its identity.
      await andMended("create", "builds-view", () => system().admin.delete("identities", identity));
      await system().waitFor(ref("RoleBinding", "team", "builds-view"), (object) => object?.["status"].uid !== binding);
      expect(await uidOf("Identity", "builds")).not.toBe(identity);
      await uidOf("RoleBinding", "builds-view");
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("is only told where the policy is to report", async () => {
      const reported = ref("Group", "team", "reported");
      const uid = await uidOf("Group", "reported");
      await system().admin.update("groups", uid, { description: "As they like it" });
      const object = await system().waitFor(reported, isUnready("DriftDetected"));
      expect(object?.["status"].drift).toEqual([
        { field: "description", expected: "As the spec says", actual: "As they like it" },
      ]);
      expect((await system().admin.get(collectionOf.Group, uid)).description).toBe("As they like it");

      await kube().patch(reported, { spec: { policy: { drift: "Correct" } } });
      expect((await system().ready(reported))["status"].drift).toBeUndefined();
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("is given up against whoever changes it again and again, and told", async () => {
      const uid = await uidOf("Group", "payments");
      const take = () => system().admin.update("groups", uid, { description: "Mine" });
      await andMended("update", "payments", take);
      await andMended("update", "payments", take);
      await take();
      const object = await system().waitFor(ref("Group", "team", "payments"), isUnready("DriftDetected"));
      expect(object?.["status"].conditions[0].message).toContain("three times within an hour");
      expect((await system().admin.get("groups", uid)).description).toBe("Mine");
    });
  },
  { operatorFlags: ["--resync", "1s"] },
);
