import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { kubeconfig } from "#test/support/control-plane/kubeconfig.ts";
import type { Cluster } from "./cluster.ts";

/** The flags and variables with which an operator process finds Kubernetes and its credentials. */
export interface KubernetesAccess {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  readonly token: string;
}

/** The files and variables that a kubelet gives to every pod. @throws {Error} if the cluster has no `ca` */
export async function asInPod(cluster: Cluster, account: ServiceAccount, folder: string): Promise<KubernetesAccess> {
  if (cluster.ca === undefined) throw new Error("the cluster has no certificate authorities, which a pod needs");
  const { hostname, port } = new URL(cluster.url);
  await mkdir(folder);
  await writeFile(join(folder, "ca.crt"), cluster.ca);
  await writeFile(join(folder, "namespace"), account.namespace);
  await writeFile(join(folder, "token"), account.token, { mode: 0o600 });
  return {
    flags: ["--service-account-directory", folder],
    env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
  };
}

/** A kubeconfig, as used outside of a cluster. */
export async function byKubeconfig(cluster: Cluster, account: ServiceAccount, file: string): Promise<KubernetesAccess> {
  await writeFile(file, kubeconfig({ ...cluster, token: account.token, user: account.name }), { mode: 0o600 });
  return { flags: ["--kubeconfig", file, "--lease-namespace", account.namespace], env: {} };
}
