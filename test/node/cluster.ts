import { join } from "node:path";
import { buildControlPlane } from "#test/support/control-plane/build.ts";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { CertificateAuthority } from "./certificates.ts";
import { startControlPlane } from "./control-plane.ts";
import { startContainerd } from "./containerd.ts";
import { dns } from "./dns.ts";
import { buildImages } from "./images.ts";
import { NodeFaults } from "./faults.ts";
import { isolate, type Isolation } from "./isolation.ts";
import { copyLoaded, loadImages } from "./loaded-images.ts";
import { type CredentialProvider, nodeReady, startNode } from "./node.ts";
import { buildNodePrograms, type NodePrograms } from "./programs.ts";
import { checkRequirements } from "./requirements.ts";
import { Servers } from "./servers.ts";
import { localVolumes } from "./volumes.ts";

/** A cluster of Kubernetes with one node, on this machine. */
export interface Cluster {
  /** The path of a kubeconfig, with which programs of this machine administer the cluster. */
  readonly kubeconfig: string;
  /** The name of its only context. */
  readonly context: string;
  /** The flags of Helm that name the cluster. */
  readonly helmFlags: readonly string[];
  /** The flags of kubectl that name the cluster. */
  readonly kubectlFlags: readonly string[];
  readonly admin: KubeClient;
  /** The namespaces of the node, for programs that must run in them. */
  readonly isolation: Isolation;
  /** What can happen to the node. */
  readonly faults: NodeFaults;
  /** Gives the node an image from an archive. */
  loadImage(archive: string): Promise<void>;
  /** Ends everything of the cluster. Nothing of it is left. It can be called again. */
  stop(): Promise<void>;
}

const context = "muster-node";

interface ClusterOptions extends BuildOptions {
  /** What the kubelet asks for credentials for images; by default nothing. */
  readonly credentialProvider?: CredentialProvider;
}

/** What a cluster is made from. */
interface Prepared {
  /** The path of the program with etcd and the API server. */
  readonly program: string;
  readonly programs: NodePrograms;
  /** The path of the data of a containerd with the images. */
  readonly images: string;
}

/** Builds what is not in the cache, which takes minutes the first time. It throws what `startCluster` throws. */
export async function prepareCluster(options: BuildOptions = {}): Promise<Prepared> {
  await checkRequirements();
  const program = await buildControlPlane(options);
  const programs = await buildNodePrograms(options);
  return { program, programs, images: await loadImages(programs, await buildImages(programs, options), options) };
}

/**
 * Starts a cluster whose node has Muster's image of the working tree, after building what is not in the cache. It ends with this process.
 * @throws {NodeUnavailable} if this machine cannot run a node
 * @throws {ControlPlaneUnavailable} if a program can neither be found nor built
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { progress, signal, credentialProvider } = options;
  const { program, programs, images } = await prepareCluster(options);
  signal?.throwIfAborted();
  progress?.("starting the control plane and containerd");
  const isolation = await isolate(programs.kubernetes);
  const endQuietly = () => void isolation.end().catch(() => {});
  signal?.addEventListener("abort", endQuietly, { once: true });
  const stop = async () => {
    signal?.removeEventListener("abort", endQuietly);
    await isolation.end();
  };
  try {
    const { address, folder } = isolation;
    const servers = new Servers(isolation, programs);
    const authority = await CertificateAuthority.create(folder);
    const root = join(folder, "containerd");
    await copyLoaded(images, root);
    const containerd = startContainerd(servers, isolation, root);
    containerd.catch(() => {});
    const { admin, credentials } = await startControlPlane({ servers, program, authority, address, folder, context });
    await containerd;
    progress?.("starting the kubelet");
    await startNode(servers, isolation, { authority, credentials, credentialProvider });
    for (const object of [...dns, ...(await localVolumes(folder))]) await admin.apply(object);
    await nodeReady(admin, servers);
    progress?.("the node is Ready");
    await admin.waitFor(dnsDeployment, (object) => object?.["status"]?.availableReplicas === 1, { timeoutMs: 60_000 });
    progress?.("the DNS is ready");
    const kubeconfig = credentials.kubeconfig.admin;
    const helmFlags = ["--kubeconfig", kubeconfig, "--kube-context", context];
    const faults = new NodeFaults({ servers, isolation, admin });
    const kubectlFlags = ["--kubeconfig", kubeconfig, "--context", context];
    const loadImage = async (archive: string) => {
      await isolation.run(programs.containerd, "ctr", "--namespace", "k8s.io", "images", "import", archive);
    };
    return { kubeconfig, context, helmFlags, kubectlFlags, admin, isolation, faults, loadImage, stop };
  } catch (error) {
    await stop();
    signal?.throwIfAborted();
    throw error;
  }
}

const dnsDeployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "coredns", namespace: "kube-system" },
};
