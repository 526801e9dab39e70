import { expect, it, vi } from "vitest";
import { isEstablished } from "#test/support/harness/custom-resource-definitions.ts";
import { describeWithControlPlane } from "./describe-with-control-plane.ts";
import { EtcdKeys } from "./etcd-keys.ts";
import type { KubeClient, KubeObject } from "./kube-client.ts";
import { Snapshot } from "./snapshot.ts";

const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "passing" } };
const configMap = (name: string, data: object): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data,
});
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const thing = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "held", namespace: "passing", finalizers: ["example.com/never-removed"] },
};
const listed = [
  { apiVersion: "v1", kind: "Namespace" },
  { apiVersion: "v1", kind: "ConfigMap" },
  { apiVersion: "v1", kind: "ServiceAccount" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
  { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
];

/** The objects, without the resource versions, which grow. */
async function objectsOf(admin: KubeClient): Promise<readonly object[]> {
  const lists = await Promise.all(listed.map((kind) => admin.list(kind)));
  return lists.flat().map(({ metadata, ...object }) => ({ ...object, metadata: { ...metadata, resourceVersion: "" } }));
}

describeWithControlPlane("a snapshot of a control plane", (controlPlane) => {
  it("restores what was created, changed and deleted, also an object with a finalizer, and custom resources", async () => {
    const { admin, folder } = controlPlane();
    const etcd = new EtcdKeys(folder);
    await admin.apply(configMap("changed", { is: "before" }));
    await admin.apply(configMap("deleted", {}));
    const snapshot = await Snapshot.of(etcd);
    const before = await objectsOf(admin);
    // A controller that has not learned that a namespace is gone gives it its service account again.
    const restoresTo = (expected: readonly object[]) =>
      vi.waitFor(
        async () => {
          await snapshot.restore();
          expect(await objectsOf(admin)).toEqual(expected);
        },
        { timeout: 30_000 },
      );

    await admin.apply(namespace);
    await admin.apply(configMap("changed", { is: "after" }));
    await admin.delete(configMap("deleted", {}));
    await admin.apply(definition);
    await admin.waitFor(definition, isEstablished);
    // Discovery can lag behind.
    await vi.waitFor(() => admin.apply(thing), { timeout: 30_000 });
    await admin.delete(thing);
    expect(await objectsOf(admin)).not.toEqual(before);

    expect(await snapshot.restore()).toContain("/registry/example.com/things/passing/held");
    await restoresTo(before);
    await admin.apply(namespace);
    await admin.waitFor(
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default", namespace: "passing" } },
      Boolean,
    );
    await admin.apply(definition);
    await admin.waitFor(definition, isEstablished);
    expect(await vi.waitFor(() => admin.list(thing), { timeout: 30_000 })).toEqual([]);
    await restoresTo(before);
    await etcd.close();
  });

  it("leaves what is to be kept", async () => {
    const { admin, folder } = controlPlane();
    const etcd = new EtcdKeys(folder);
    const snapshot = await Snapshot.of(etcd);
    await admin.apply(configMap("kept", {}));
    await admin.apply(configMap("passing", {}));
    const restored = await snapshot.restore((key) => key.endsWith("/kept"));
    expect(restored).toEqual(["/registry/configmaps/default/passing"]);
    expect(await admin.find(configMap("kept", {}))).toBeDefined();
    expect(await admin.find(configMap("passing", {}))).toBeUndefined();
    await etcd.close();
  });
});
