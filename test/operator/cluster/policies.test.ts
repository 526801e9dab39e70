import { beforeAll, expect, it } from "vitest";
import { differencesFromPlatform, hasMarker, withoutMarker } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import type { LogLine } from "#test/support/harness/muster-process.ts";
import { conditionOf, isUnready, musterObject, ref } from "#test/support/harness/muster-objects.ts";

describeWithSystem(
  "how far the operator goes",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const group = (name: string, policy: object = {}) =>
      musterObject("Group", "team", name, { parentUid: system().root, description: `The group ${name}`, policy });
    const annotate = (name: string, annotation: string, value: string | null) =>
      kube().patch(ref("Group", "team", name), {
        metadata: { annotations: { [`iam.muster.dev/${annotation}`]: value } },
      });

    const theirs = new Map<string, string>();
    /** Groups of other hands, there since before the operator last listed what is there. */
    beforeAll(async () => {
      for (const name of ["theirs", "passing", "untouched"]) {
        const { uid } = await system().admin.create("groups", system().root, { name, description: "Older" });
        theirs.set(name, uid);
      }
      const { process } = operator();
      const listed = (line: LogLine) => line.msg === "the platform was listed" && line["kind"] === "Group";
      // The first of these lists may have begun before.
      const first = await process.logged(listed, process.log.length);
      await process.logged(listed, process.log.indexOf(first) + 1);
    });
    const uidOfTheirs = (name: string) => theirs.get(name) ?? "";

    it("deletion: Orphan leaves the group, without the marker", async () => {
      const kept = group("kept", { deletion: "Orphan" });
      await kube().apply(kept);
      const { uid } = (await system().ready(kept))["status"];
      await kube().delete(kept);
      await system().gone(kept);
      expect((await system().admin.get("groups", uid)).description).toBe("The group kept");
      await system().admin.delete("groups", uid);
    });

    it("adoption: Never finds a conflict with a group of the name, and IfExists takes it over", async () => {
      const uid = uidOfTheirs("theirs");
      const ours = group("theirs");
      await kube().apply(ours);
      const object = await system().waitFor(ours, isUnready("Conflict"));
      expect(conditionOf(object, "Stalled")?.message).toContain(uid);
      expect((await system().admin.get("groups", uid)).description).toBe("Older");

      await kube().apply(group("theirs", { adoption: "IfExists" }));
      expect((await system().ready(ours))["status"].uid).toBe(uid);
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group theirs");
      await kube().delete(ours);
      await system().gone(ours);
      expect((await system().admin.list("groups")).filter((row) => row.uid === uid)).toEqual([]);
    });

    it("a conflict that is over is noticed", async () => {
      const ours = group("passing");
      await kube().apply(ours);
      await system().waitFor(ours, isUnready("Conflict"));
      await system().admin.delete("groups", uidOfTheirs("passing"));
      const { uid } = (await system().ready(ours))["status"];
      expect(hasMarker((await system().admin.get("groups", uid)).description)).toBe(true);
    });

    it("one that is deleted in Conflict leaves what it was in conflict with", async () => {
      const ours = group("untouched");
      await kube().apply(ours);
      await system().waitFor(ours, isUnready("Conflict"));
      await kube().delete(ours);
      await system().gone(ours);
      expect((await system().admin.get("groups", uidOfTheirs("untouched"))).name).toBe("untouched");
      await system().admin.delete("groups", uidOfTheirs("untouched"));
    });

    it("paused: nothing is looked at until the annotation goes", async () => {
      const paused = group("paused");
      await kube().apply(paused);
      const { uid } = (await system().ready(paused))["status"];
      await annotate("paused", "paused", "true");
      await system().waitFor(paused, isUnready("Paused"));
      await kube().patch(paused, { spec: { description: "Changed meanwhile" } });
      await system().waitFor(paused, isUnready("Paused"));
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group paused");

      await annotate("paused", "paused", null);
      await system().ready(paused);
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("Changed meanwhile");
    });

    it("reconcile-requested-at is answered at once, with drift mended", async () => {
      const asked = group("asked");
      await kube().apply(asked);
      const { uid } = (await system().ready(asked))["status"];
      await system().admin.update("groups", uid, { description: "Drifted" });
      await annotate("asked", "reconcile-requested-at", "now");
      await system().waitFor(asked, (object) => object?.["status"].lastHandledReconcileAt === "now");
      expect(withoutMarker((await system().admin.get("groups", uid)).description)).toBe("The group asked");
    });

    it("abandon: deletion leaves the group as it is", async () => {
      const abandoned = group("abandoned");
      await kube().apply(abandoned);
      const { uid } = (await system().ready(abandoned))["status"];
      await annotate("abandoned", "abandon", "true");
      await kube().delete(abandoned);
      await system().gone(abandoned);
      expect(hasMarker((await system().admin.get("groups", uid)).description)).toBe(true);
      await system().admin.delete("groups", uid);
    });

    it("at the end nothing is there that belongs to nobody", async () => {
      expect(await differencesFromPlatform(system())).toEqual([]);
    });
  },
  { operatorFlags: ["--resync", "1s", "--log-level", "debug"] },
);
