import { expect, it } from "vitest";
import { differencesFromPlatform } from "#test/harness/comparison.ts";
import { describeWithSystem } from "#test/harness/describe-with-system.ts";
import { musterObject } from "#test/harness/muster-objects.ts";

const definitions = ["groups", "identities", "rolebindings"].map((plural) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.iam.muster.dev` },
}));

describeWithSystem(
  "what goes away as a whole",
  (system) => {
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

    it("a namespace takes everything along that was made for it, on the platform too", async () => {
      const objects = ["leaving", "staying"].flatMap(tree);
      for (const object of objects) await kube().apply(object);
      for (const object of objects) await system().ready(object);
      await kube().delete(namespace("leaving"));
      await system().gone(namespace("leaving"), 60_000);
      expect(await differencesFromPlatform(system())).toEqual([]);
    });

    it("the definitions, and with them all objects, leave everything on the platform", async () => {
      const everything = async () => [
        ...(await system().admin.list("groups")),
        ...(await system().admin.list("identities")),
        ...(await system().admin.list("roleBindings")),
      ];
      const before = await everything();
      await Promise.all(definitions.map((definition) => kube().delete(definition)));
      for (const definition of definitions) await system().gone(definition);
      expect(await everything()).toEqual(before);
      expect(before).toHaveLength(system().before.size + tree("staying").length);
    });
  },
  { namespaces: ["leaving", "staying"] },
);
