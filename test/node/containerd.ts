import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pauseImage } from "./images.ts";
import type { Isolation } from "./isolation.ts";
import { podNetwork } from "./network.ts";
import type { Servers } from "./servers.ts";

export const containerdSocket = "/run/containerd/containerd.sock";

/** Starts containerd with its data in the folder `root`, and returns when it is ready. */
export async function startContainerd(servers: Servers, isolation: Isolation, root: string): Promise<void> {
  const { folder } = isolation;
  const networks = join(folder, "networks");
  await mkdir(networks);
  await writeFile(join(networks, "pods.conflist"), JSON.stringify(podNetwork));
  const config = join(folder, "containerd.toml");
  const registries = registriesOf(isolation);
  await mkdir(registries);
  await writeFile(config, containerdConfig({ root, networks, registries, shim: servers.programs.shim }));
  // A containerd that starts again finds the shims that still run by the usual name of their program.
  const programs = join(folder, "programs");
  await mkdir(programs);
  await symlink(servers.programs.shim, join(programs, "containerd-shim-runc-v2"));
  servers.start("containerd", servers.programs.containerd, { config }, [programs]);
  await containerdReady(servers, isolation);
}

/** Waits until containerd accepts requests. */
export async function containerdReady(servers: Servers, isolation: Isolation): Promise<void> {
  await servers.retry("containerd", () => isolation.run(servers.programs.containerd, "ctr", "version"));
}

const registriesOf = ({ folder }: Pick<Isolation, "folder">) => join(folder, "registries");

/** Lets the node pull the images of a registry from an address, without TLS. */
export async function addRegistry(isolation: Isolation, registry: string, address: string): Promise<void> {
  const folder = join(registriesOf(isolation), registry);
  await mkdir(folder);
  await writeFile(join(folder, "hosts.toml"), `server = "http://${address}"\n`);
}

interface Folders {
  readonly root: string;
  readonly networks: string;
  readonly registries: string;
  readonly shim: string;
}

const containerdConfig = ({ root, networks, registries, shim }: Folders) => `version = 3
root = "${root}"

[grpc]
address = "${containerdSocket}"

[plugins."io.containerd.cri.v1.images"]
snapshotter = "overlayfs"

[plugins."io.containerd.cri.v1.images".registry]
config_path = "${registries}"

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
