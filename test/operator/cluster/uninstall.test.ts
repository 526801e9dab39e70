import { expect, it } from "vitest";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { describeWithSystem } from "#test/support/harness/describe-with-system.ts";
import { isUnready, musterObject } from "#test/support/harness/muster-objects.ts";
import { emptySecret, issuedIn } from "#test/support/harness/secret-objects.ts";
import { everyKind, plantedClientSecret, secretsOfEveryKind, tenantOfEveryKind } from "./every-kind.ts";

const definitions = [
  "groups",
  "identities",
  "roles",
  "rolebindings",
  "identityproviders",
  "accountassociations",
  "groupinvites",
  "tenants",
].map((plural) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.iam.muster.dev` },
}));

describeWithSystem(
  "deleting namespaces and CRDs",
  (system, operator) => {
    const kube = () => system().controlPlane.admin;
    const tree = (namespace: string) => [
      musterObject("Group", namespace, "top", { parentUid: system().root, name: `top of ${namespace}` }),
      musterObject("Group", namespace, "below", { parentRef: { name: "top" } }),
      musterObject("Identity", namespace, "someone", {
        groupRef: { name: "below" },
        claimMatch: { issuer: "https://issuer.example", subject: "someone" },
      }),
      musterObject("RoleBinding", namespace, "views", {
        groupRef: { name: "top" },
        identityRef: { name: "someone" },
        roleRef: { name: "viewer" },
      }),
    ];
    const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

    it("deleting a namespace deletes its resources of every kind on the platform", async () => {
      system().secrets.push(plantedClientSecret);
      const ofEveryKind = everyKind(system().root, "leaving");
      for (const object of secretsOfEveryKind("leaving")) await kube().apply(object);
      const objects = [...["leaving", "staying"].flatMap(tree), ...ofEveryKind];
      for (const object of objects) await kube().apply(object);
      for (const object of objects) await system().ready(object);
      const issued = issuedIn(await kube().get(emptySecret("leaving", "invite-ada")));
      // The harness then looks for the code in every log, object and event.
      system().secrets.push(issued?.code ?? expect.fail("the Secret has no code"));
      await kube().delete(namespace("leaving"));
      await system().gone(namespace("leaving"), 60_000);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("an object that cannot be deleted yet waits without a failure in a terminating namespace, and says so", async () => {
      const ours = musterObject("Group", "waiting", "ours", { parentUid: system().root, name: "ours" });
      await kube().apply(ours);
      const { uid } = (await system().ready(ours))["status"] as { uid: string };
      const another = await system().admin.create("groups", uid, { name: "unmanaged" });
      const from = operator().process.log.length;
      await kube().delete(namespace("waiting"));
      await system().waitFor(ours, isUnready("ChildrenExist"));
      await system().admin.delete("groups", another.uid);
      await system().gone(namespace("waiting"), 60_000);
      const failed = operator()
        .process.log.slice(from)
        .filter(({ msg }) => msg === "reconcile failed");
      expect(failed).toEqual([]);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("deleting the CRDs, and with them all objects, keeps the platform's resources", async () => {
      const platformResources = async () => [
        ...(await system().admin.list("groups")),
        ...(await system().admin.list("identities")),
        ...(await system().admin.list("roles")),
        ...(await system().admin.list("roleBindings")),
      ];
      const before = await platformResources();
      await Promise.all(definitions.map((definition) => kube().delete(definition)));
      for (const definition of definitions) await system().gone(definition);
      expect(await platformResources()).toEqual(before);
      expect(before).toHaveLength(system().preexisting.size + tree("staying").length);
    });
  },
  { namespaces: ["leaving", "waiting", "staying"], tenants: tenantOfEveryKind },
);
