import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import type { CertificateAuthority } from "./certificates.ts";
import { type Credentials, nodeName } from "./credentials.ts";
import type { Isolation } from "./isolation.ts";
import { network, podNetwork } from "./network.ts";
import { pauseImage } from "./images.ts";
import type { Servers } from "./servers.ts";

const containerdSocket = "/run/containerd/containerd.sock";
const readyTimeoutMs = 120_000;

/** Starts containerd, and returns when it accepts images. */
export async function startContainerd(servers: Servers, isolation: Isolation): Promise<void> {
  const { folder } = isolation;
  const networks = join(folder, "networks");
  await mkdir(networks);
  await writeFile(join(networks, "pods.conflist"), JSON.stringify(podNetwork));
  const config = join(folder, "containerd.toml");
  await writeFile(config, containerdConfig(servers.programs.shim, networks));
  servers.start("containerd", servers.programs.containerd, { config });
  await retry(servers, "containerd", () => isolation.run(servers.programs.containerd, "ctr", "version"));
}

/** Loads the images of a file for Kubernetes. */
export async function loadImages(servers: Servers, isolation: Isolation, file: string): Promise<void> {
  await isolation.run(servers.programs.containerd, "ctr", "--namespace", "k8s.io", "images", "import", file);
}

/** Starts the kubelet and kube-proxy. */
export async function startNode(
  servers: Servers,
  isolation: Isolation,
  { authority, credentials }: { readonly authority: CertificateAuthority; readonly credentials: Credentials },
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
  });
  servers.start("kube-proxy", servers.programs.kubernetes, { config: await write("kube-proxy.json", proxy) });
}

/** Waits until the node is Ready. @throws {Error} with what its conditions say after two minutes */
export async function nodeReady(admin: KubeClient, servers: Servers): Promise<void> {
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: nodeName } };
  await retry(servers, "the node", async () => {
    const conditions: readonly Condition[] = (await admin.find(node))?.["status"]?.conditions ?? [];
    const ready = conditions.find(({ type }) => type === "Ready");
    if (ready?.status !== "True") throw new Error(ready?.message ?? "the kubelet has not reported the node");
  });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

/** Repeats what fails until something is ready. */
async function retry(servers: Servers, what: string, attempt: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      await servers.check();
      if (performance.now() > deadline)
        throw new Error(`${what} was not ready after ${readyTimeoutMs / 1000} s`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

const containerdConfig = (shim: string, networks: string) => `version = 3

[grpc]
address = "${containerdSocket}"

[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"

[plugins."io.containerd.cri.v1.images".pinned_images]
sandbox = "${pauseImage}"

[plugins."io.containerd.cri.v1.runtime"]
# Without the capability to lower the score of a process, runc would fail.
restrict_oom_score_adj = true

[plugins."io.containerd.cri.v1.runtime".cni]
bin_dirs = ["/usr/lib/cni"]
conf_dir = "${networks}"

[plugins."io.containerd.cri.v1.runtime".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
runtime_path = "${shim}"

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
SystemdCgroup = false
`;
