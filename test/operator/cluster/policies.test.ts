import { beforeAll, expect, it } from "vitest";
import { differencesFromPlatform, hasMarker, withoutMarker } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import type { LogLine } from "#test/support/harness/muster-process.ts";
import { conditionOf, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "policies and annotations",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const group = (name: string, policy: object = {}) =>
      musterObject("Group", "team", name, { parentUid: system().root, description: `The group ${name}`, policy });
    const annotate = (name: string, annotation: string, value: string | null) =>
      kube().patch(ref("Group", "team", name), {
        metadata: { annotations: { [`iam.muster.dev/${annotation}`]: value } },
      });

    const existing = new Map<string, string>();
    /** Groups that the administrator created, before the operator's last list of groups. */
    beforeAll(async () => {
      for (const name of ["existing", "temporary", "untouched"]) {
        const { uid } = await system().admin.create("groups", system().root, { name, description: "Older" });
        existing.set(name, uid);
      }
      const { process } = operator();
      const listed = (line: LogLine) => line.msg === "platform listed" && line["kind"] === "Group";
      // The first of these lists may have started before the groups were created.
      const first = await process.logged(listed, process.log.length);
      await process.logged(listed, process.log.indexOf(first) + 1);
    });
    const uidOfExisting = (name: string) => existing.get(name) ?? "";

    it("deletion: Orphan keeps the group and removes the marker", async () => {
      const kept = group("kept", { deletion: "Orphan" });
      await kube().apply(kept);
      const { uid } = (await system().ready(kept))["status"];
      await kube().delete(kept);
      await system().gone(kept);
      expect((await system().admin.get("groups", uid)).description).toBe("The group kept");
      await system().admin.delete("groups", uid);
    });

    it("adoption: Never reports a conflict with an existing group of the same name, and IfExists adopts it", async () => {
      const uid = uidOfExisting("existing");
      const ours = group("existing");
      await kube().apply(ours);
      const object = await system().waitFor(ours, isUnready("Conflict"));
      expect(conditionOf(object, "Stalled")?.message).toContain(uid);
      expect((await system().admin.get("groups", uid)).description).toBe("Older");

      await kube().apply(group("existing", { adoption: "IfExists" }));
      expect((await system().ready(ours))["status"].uid).toBe(uid);
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group existing");
      await kube().delete(ours);
      await system().gone(ours);
      // What was adopted is kept.
      expect((await system().admin.get("groups", uid)).description).toBe("The group existing");
      await system().admin.delete("groups", uid);
    });

    it("creates the group once a conflict is resolved", async () => {
      const ours = group("temporary");
      await kube().apply(ours);
      await system().waitFor(ours, isUnready("Conflict"));
      await system().admin.delete("groups", uidOfExisting("temporary"));
      const { uid } = (await system().ready(ours))["status"];
      expect(hasMarker((await system().admin.get("groups", uid)).description)).toBe(true);
    });

    it("deleting an object in Conflict keeps the existing group", async () => {
      const ours = group("untouched");
      await kube().apply(ours);
      await system().waitFor(ours, isUnready("Conflict"));
      await kube().delete(ours);
      await system().gone(ours);
      expect((await system().admin.get("groups", uidOfExisting("untouched"))).name).toBe("untouched");
      await system().admin.delete("groups", uidOfExisting("untouched"));
    });

    it("the paused annotation suspends reconciliation until it is removed", async () => {
      const paused = group("paused");
      await kube().apply(paused);
      const { uid } = (await system().ready(paused))["status"];
      await annotate("paused", "paused", "true");
      await system().waitFor(paused, isUnready("Paused"));
      await kube().patch(paused, { spec: { description: "Changed while paused" } });
      await system().waitFor(paused, isUnready("Paused"));
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group paused");

      await annotate("paused", "paused", null);
      await system().ready(paused);
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("Changed while paused");
    });

    it("reconcile-requested-at reconciles at once and corrects drift", async () => {
      const requested = group("requested");
      await kube().apply(requested);
      const { uid } = (await system().ready(requested))["status"];
      await system().admin.update("groups", uid, { description: "Drifted" });
      await annotate("requested", "reconcile-requested-at", "now");
      await system().waitFor(requested, (object) => object?.["status"].lastHandledReconcileAt === "now");
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group requested");
    });

    it("deleting an object with the abandon annotation keeps the group and its marker", async () => {
      const abandoned = group("abandoned");
      await kube().apply(abandoned);
      const { uid } = (await system().ready(abandoned))["status"];
      await annotate("abandoned", "abandon", "true");
      await kube().delete(abandoned);
      await system().gone(abandoned);
      expect(hasMarker((await system().admin.get("groups", uid)).description)).toBe(true);
      await system().admin.delete("groups", uid);
    });

    it("no platform resource is left without a custom resource", async () => {
      expect(await differencesFromPlatform(system())).toEqual([]);
    });
  },
  { operatorFlags: ["--resync", "1s", "--log-level", "debug"] },
);
