import { beforeAll, expect, it } from "vitest";
import { collectionOf, differencesFromPlatform, withoutMarker } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject, type MusterKind, ref } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "changes made outside Kubernetes",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const uidOf = async (kind: MusterKind, name: string): Promise<string> =>
      (await system().ready(ref(kind, "team", name)))["status"].uid;

    /** Makes a change as the platform's administrator, and waits until the operator has corrected it. */
    async function untilCorrected(
      step: "update" | "create",
      name: string,
      change: () => Promise<unknown>,
    ): Promise<void> {
      const { process } = operator();
      const from = process.log.length;
      await change();
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

    it("restores a changed description and a changed name", async () => {
      const uid = await uidOf("Group", "payments");
      await untilCorrected("update", "payments", () =>
        system().admin.update("groups", uid, { description: "Mine now", name: "mine" }),
      );
      const group = await system().admin.get("groups", uid);
      expect([group.name, withoutMarker(group.description)]).toEqual(["payments", "Money"]);
    });

    it("restores a removed marker", async () => {
      const uid = await uidOf("Identity", "builds");
      await untilCorrected("update", "builds", () => system().admin.update("identities", uid, { description: "" }));
      expect(await differencesFromPlatform(system())).toEqual([]);
      expect((await system().admin.get("identities", uid)).description).toMatch(/^\[muster:/);
    });

    it("restores a changed claimMatch", async () => {
      const uid = await uidOf("Identity", "builds");
      await untilCorrected("update", "builds", () =>
        system().admin.update("identities", uid, {
          claimMatch: { issuer: "https://elsewhere.example", subject: "thief" },
        }),
      );
      expect((await system().admin.get("identities", uid))["claimMatch"]).toMatchObject({
        issuer: "https://issuer.example",
        subject: "builds",
      });
    });

    it("grants the role again if its binding was changed to another one, which is left alone", async () => {
      const uid = await uidOf("RoleBinding", "builds-view");
      const owner = (await system().admin.list("roles")).find((role) => role.name === "owner");
      await untilCorrected("create", "builds-view", () =>
        system().admin.update("roleBindings", uid, { roleUid: owner?.uid }),
      );
      const builds = ref("RoleBinding", "team", "builds-view");
      const object = await system().waitFor(builds, (one) => one?.["status"].uid !== uid);
      expect((await system().admin.get("roleBindings", object?.["status"].uid))["role"].name).toBe("viewer");
      expect((await system().admin.get("roleBindings", uid))["role"].name).toBe("owner");
      await system().admin.delete("roleBindings", uid);
    });

    it("re-creates a deleted identity, and the role bindings that the platform deleted with it", async () => {
      const [identity, binding] = [await uidOf("Identity", "builds"), await uidOf("RoleBinding", "builds-view")];
      // The platform deletes the binding along with its identity.
      await untilCorrected("create", "builds-view", () => system().admin.delete("identities", identity));
      await system().waitFor(ref("RoleBinding", "team", "builds-view"), (object) => object?.["status"].uid !== binding);
      expect(await uidOf("Identity", "builds")).not.toBe(identity);
      await uidOf("RoleBinding", "builds-view");
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("reports the drift without correcting it if the policy is Report", async () => {
      const reported = ref("Group", "team", "reported");
      const uid = await uidOf("Group", "reported");
      await system().admin.update("groups", uid, { description: "As they like it" });
      const object = await system().waitFor(reported, isUnready("DriftDetected"));
      expect(object?.["status"].drift).toEqual([
        { field: "description", expected: "As the spec says", actual: "As they like it" },
      ]);
      expect((await system().admin.get(collectionOf.Group, uid)).description).toBe("As they like it");

      // Neither a pause nor a change during it turns the change into an edit of the spec.
      await kube().patch(reported, { metadata: { annotations: { "iam.muster.dev/paused": "true" } } });
      await system().waitFor(reported, isUnready("Paused"));
      await system().admin.update("groups", uid, { description: "As they like it now" });
      await kube().patch(reported, { metadata: { annotations: { "iam.muster.dev/paused": null } } });
      const resumed = await system().waitFor(
        reported,
        (one) => isUnready("DriftDetected")(one) && one?.["status"].drift?.[0].actual === "As they like it now",
      );
      expect(resumed?.["status"].appliedGeneration).toBe(1);
      expect((await system().admin.get(collectionOf.Group, uid)).description).toBe("As they like it now");

      await kube().patch(reported, { spec: { policy: { drift: "Correct" } } });
      expect((await system().ready(reported))["status"].drift).toBeUndefined();
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("stops correcting a field that changes three times within an hour, and reports it", async () => {
      const uid = await uidOf("Group", "payments");
      const changeAgain = () => system().admin.update("groups", uid, { description: "Mine" });
      await untilCorrected("update", "payments", changeAgain);
      await untilCorrected("update", "payments", changeAgain);
      await changeAgain();
      const object = await system().waitFor(ref("Group", "team", "payments"), isUnready("DriftDetected"));
      expect(object?.["status"].conditions[0].message).toContain("three times within an hour");
      expect((await system().admin.get("groups", uid)).description).toBe("Mine");
    });
  },
  { operatorFlags: ["--resync", "1s"] },
);
