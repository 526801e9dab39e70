import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import type { CertificateAuthority } from "./certificates.ts";
import { type Credentials, nodeName } from "./credentials.ts";
import type { Isolation } from "./isolation.ts";
import { containerdSocket } from "./containerd.ts";
import { network } from "./network.ts";
import type { Servers } from "./servers.ts";

/** A program that gives the kubelet credentials for images. */
export interface CredentialProvider {
  /** The folder with the program. */
  readonly folder: string;
  /** A `CredentialProviderConfig`. */
  readonly config: unknown;
}

interface NodeOptions {
  readonly authority: CertificateAuthority;
  readonly credentials: Credentials;
  readonly credentialProvider?: CredentialProvider | undefined;
}

/** Starts the kubelet and kube-proxy. */
export async function startNode(
  servers: Servers,
  isolation: Isolation,
  { authority, credentials, credentialProvider }: NodeOptions,
): Promise<void> {
  const { address, cgroup, folder } = isolation;
  const certificate = await authority.issue("kubelet", {
    subject: `/O=system:nodes/CN=system:node:${nodeName}`,
    names: `DNS:${nodeName},IP:${address}`,
  });
  const resolvConf = join(folder, "resolv.conf");
  await writeFile(resolvConf, "");
  const kubelet = {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address,
    authentication: { anonymous: { enabled: false }, x509: { clientCAFile: authority.certificate } },
    tlsCertFile: certificate.certificate,
    tlsPrivateKeyFile: certificate.key,
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    cgroupDriver: "cgroupfs",
    cgroupRoot: cgroup,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [network.dns],
    clusterDomain: network.domain,
    resolvConf,
    // It finds the settings of the kernel that it wants, and must change none.
    protectKernelDefaults: true,
    // A lower one takes a capability that root may not have here.
    oomScoreAdj: 0,
    // A full disk of this machine is no reason to evict.
    evictionHard: { "imagefs.available": "0%", "nodefs.available": "0%", "memory.available": "0%" },
    imageGCHighThresholdPercent: 100,
    volumePluginDir: join(folder, "volume-plugins"),
    // Many pods start at the same time in a test.
    registryPullQPS: 0,
    eventRecordQPS: 0,
  };
  const proxy = {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "iptables",
    clusterCIDR: network.pods,
    clientConnection: { kubeconfig: credentials.kubeconfig["kube-proxy"] },
    hostnameOverride: nodeName,
    // The limits of connections are the machine's.
    conntrack: { maxPerCore: 0, min: 0, tcpCloseWaitTimeout: "0s", tcpEstablishedTimeout: "0s" },
    iptables: { minSyncPeriod: "0s" },
  };
  const write = async (name: string, object: unknown) => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify(object));
    return path;
  };
  servers.start("kubelet", servers.programs.kubernetes, {
    config: await write("kubelet.json", kubelet),
    kubeconfig: credentials.kubeconfig.kubelet,
    "hostname-override": nodeName,
    "node-ip": address,
    ...(credentialProvider && {
      "image-credential-provider-config": await write("credential-provider.json", credentialProvider.config),
      "image-credential-provider-bin-dir": credentialProvider.folder,
    }),
  });
  servers.start("kube-proxy", servers.programs.kubernetes, { config: await write("kube-proxy.json", proxy) });
}

/**
 * Waits until the kubelet has reported that the node is Ready, at this time or later.
 * @throws {Error} with what its conditions say after two minutes
 */
export async function nodeReady(admin: KubeClient, servers: Servers, since = new Date(0)): Promise<void> {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: nodeName } };
  await servers.retry("the node", async () => {
    const conditions: readonly Condition[] = (await admin.find(node))?.["status"]?.conditions ?? [];
    const ready = conditions.find(({ type }) => type === "Ready");
    if (ready?.status !== "True" || new Date(ready.lastHeartbeatTime) < since)
      throw new Error(ready?.message ?? "the kubelet has not reported the node");
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
  readonly lastHeartbeatTime: string;
}
