import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import type { Flags } from "#test/support/control-plane/server-process.ts";
import { containerStatuses } from "./container-statuses.ts";
import { containerdReady } from "./containerd.ts";
import { apiServerReady } from "./control-plane.ts";
import type { Isolation } from "./isolation.ts";
import { nodeReady } from "./node.ts";
import type { Servers } from "./servers.ts";

interface Parts {
  readonly servers: Servers;
  readonly isolation: Isolation;
  readonly admin: KubeClient;
}

type ServerName = "kube-apiserver" | "kube-controller-manager" | "kubelet" | "containerd";

/** Faults of a node as a cluster has them: its programs and containers are killed, without a signal before. */
export class NodeFaults {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Kills a server, and returns when it has ended. */
  async kill(server: ServerName): Promise<void> {
    await this.#parts.servers.kill(server);
  }

  /**
   * Starts a server that was killed, and returns when the node is Ready with it.
   * @param changes flags that it has from now on, in addition to those that it had or in place of them
   */
  async start(server: ServerName, changes: Flags = {}): Promise<void> {
    const { servers, isolation, admin } = this.#parts;
    const since = thisSecond();
    servers.startAgain(server, changes);
    await apiServerReady(admin, servers);
    await containerdReady(servers, isolation);
    await nodeReady(admin, servers, server === "kubelet" ? since : undefined);
  }

  /** Kills the first process of each container of a pod that is not an init container. */
  async killContainers(pod: KubeObject): Promise<void> {
    for (const { name, state } of pod["status"].containerStatuses)
      if (state.running !== undefined) await this.signal(pod, name, "SIGKILL");
  }

  /** Sends a signal to the first process of a container. */
  async signal(pod: KubeObject, container: string, signal: "SIGKILL" | "SIGHUP"): Promise<void> {
    const { servers, isolation } = this.#parts;
    const { containerID } = containerStatuses(pod).find(({ name }) => name === container);
    const id = containerID.replace("containerd://", "");
    const kill = ["--namespace", "k8s.io", "tasks", "kill", "--signal", signal, id];
    await isolation.run(servers.programs.containerd, "ctr", ...kill);
  }

  /** Kills all processes of the node, and those of containers, starts it again on its data, and returns when it is Ready. */
  async restart(): Promise<void> {
    const { servers, isolation, admin } = this.#parts;
    await servers.killAll();
    for (const server of ["etcd", "kube-apiserver", "containerd"]) servers.startAgain(server);
    await apiServerReady(admin, servers);
    await containerdReady(servers, isolation);
    const since = thisSecond();
    const others = ["kube-scheduler", "kube-controller-manager", "kubelet", "kube-proxy"];
    for (const server of others) servers.startAgain(server);
    await nodeReady(admin, servers, since);
  }
}

/** Times of conditions have no fractions of seconds. */
const thisSecond = (): Date => new Date(Math.floor(Date.now() / 1000) * 1000);
