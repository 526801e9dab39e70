import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { nodeName } from "./credentials.ts";

const storageClassName = "local";
const count = 20;

/**
 * The default storage class, and folders of the node for as many claims: nothing provisions volumes, and a volume has one claim in its
 * life.
 */
export async function localVolumes(folder: string): Promise<readonly KubeObject[]> {
  const volumes: KubeObject[] = [];
  for (let number = 1; number <= count; number++) {
    const path = join(folder, "volumes", String(number));
    await mkdir(path, { recursive: true });
    volumes.push(volume(`local-${number}`, path));
  }
  return [storageClass, ...volumes];
}

const storageClass: KubeObject = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: storageClassName, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "kubernetes.io/no-provisioner",
  volumeBindingMode: "WaitForFirstConsumer",
};

const volume = (name: string, path: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    storageClassName,
    capacity: { storage: "10Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    local: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [nodeName] }] },
        ],
      },
    },
  },
});
