import { join } from "node:path";
import { buildGoProgram, type GoProgram, isBuilt } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";
import { controlPlaneProgram, kubernetesVersion } from "#test/support/control-plane/build.ts";

const folder = (name: string) => join(import.meta.dirname, "programs", name);
const containerdModule = "github.com/containerd/containerd/v2";
const containerdVersion = (version: string) => ({ [`${containerdModule}/version.Version`]: version });

/** The programs of a node that are built from Go modules. */
const programs = {
  /** The commands `init`, `kubelet`, `kube-proxy`, `kube-scheduler` and `kube-controller-manager`. */
  kubernetes: {
    name: "node",
    folder: folder("kubernetes"),
    title: "the kubelet, kube-proxy, the scheduler and the controller manager",
    module: "k8s.io/kubernetes",
    linkedVariables: kubernetesVersion,
  },
  pause: {
    name: "pause",
    folder: folder("kubernetes"),
    main: "pause",
    title: "pause",
    module: "k8s.io/kubernetes",
  },
  /** The commands `containerd` and `ctr`. */
  containerd: {
    name: "containerd",
    folder: folder("containerd"),
    title: "containerd",
    module: containerdModule,
    linkedVariables: containerdVersion,
  },
  shim: {
    name: "containerd-shim",
    folder: folder("containerd"),
    main: "shim",
    title: "the shim of containerd",
    module: containerdModule,
    linkedVariables: containerdVersion,
  },
  coredns: {
    name: "coredns",
    folder: folder("coredns"),
    title: "CoreDNS",
    module: "github.com/coredns/coredns",
  },
} satisfies Record<string, GoProgram>;

/** The paths of the programs. */
export type NodePrograms = Readonly<Record<keyof typeof programs, string>>;

/**
 * Builds the programs that are not in the cache, one after the other: each uses all cores.
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildNodePrograms(options: BuildOptions): Promise<NodePrograms> {
  const paths: Record<string, string> = {};
  for (const [name, program] of Object.entries(programs)) paths[name] = await buildGoProgram(program, options);
  return paths as NodePrograms;
}

/** Whether nothing needs Go any more. */
export async function allProgramsAreBuilt(): Promise<boolean> {
  const built = await Promise.all([controlPlaneProgram, ...Object.values(programs)].map(isBuilt));
  return !built.includes(false);
}
