import { expect, it } from "vitest";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { operatorAccount, System } from "#test/support/harness/system.ts";

/** A leader that was killed is soon replaced, and its requests soon settled. */
const quick = ["--lease-duration", "3s", "--platform-timeout", "2s", "--settle-time", "500ms"];

describeWithControlPlane("a cluster that is rebuilt from the same manifests", (controlPlane) => {
  it("finds what it managed by --owner-id, and under a new id by --previous-owner-id", async () => {
    const system = await System.start({ controlPlane: controlPlane() });
    const { admin, identity, root, preexisting } = system;
    const kube = system.controlPlane.admin;
    const manifests = [
      musterObject("Group", "team", "shop", { parentUid: root, description: "Sells." }),
      musterObject("Identity", "team", "ci", { groupRef: { name: "shop" }, serviceAccountRef: { name: "ci" } }),
      musterObject("RoleBinding", "team", "ci-views", {
        groupRef: { name: "shop" },
        identityRef: { name: "ci" },
        roleRef: { name: "viewer" },
      }),
    ];
    const record = (owner: string) =>
      admin.update("identities", identity, { description: withRecordedOwner("", owner) });
    /** Runs an operator until all objects are Ready. @returns their uids on the platform. */
    const run = async (flags: readonly string[]) => {
      const operator = await system.startOperator([...quick, ...flags]);
      for (const manifest of manifests) await kube.apply(manifest);
      const objects = await Promise.all(manifests.map((manifest) => system.ready(manifest)));
      await operator.process.kill();
      return objects.map(({ status }) => status.uid as string);
    };
    /** What a new cluster does not have: the objects, with their statuses and finalizers, and the Lease. */
    const lose = async () => {
      for (const manifest of manifests.toReversed()) {
        await kube.delete(manifest);
        await kube.patch(manifest, { metadata: { finalizers: null } });
        await system.gone(manifest);
      }
      await kube.delete({
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { namespace: system.operatorNamespace, name: operatorAccount },
      });
    };
    const created = async () => {
      const collections = (["groups", "identities", "roleBindings"] as const).map((one) => admin.list(one));
      return (await Promise.all(collections)).flat().filter(({ uid }) => !preexisting.has(uid));
    };
    try {
      await record("east");
      const uids = await run(["--owner-id", "east"]);
      await lose();
      expect(await run(["--owner-id", "east"])).toEqual(uids);
      await lose();
      await record("west");
      const renamed = ["--owner-id", "west", "--previous-owner-id", "east"];
      expect(await run(renamed)).toEqual(uids);
      expect((await created()).map(({ uid }) => uid).toSorted()).toEqual(uids.toSorted());
      await system.startOperator([...quick, ...renamed]);
      for (const manifest of manifests) await kube.delete(manifest);
      for (const manifest of manifests) await system.gone(manifest);
      expect(await created()).toEqual([]);
    } finally {
      await system.stop();
    }
  });
});
