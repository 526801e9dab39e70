import { buildGoProgram, type GoProgram } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";

/**
 * Builds the program of this folder: etcd, the API server and the controllers.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildControlPlane(options: BuildOptions = {}): Promise<string> {
  return buildGoProgram(controlPlaneProgram, options);
}

/** The program of this folder. */
export const controlPlaneProgram: GoProgram = {
  name: "control-plane",
  folder: import.meta.dirname,
  title: "Kubernetes",
  module: "k8s.io/kubernetes",
  linkedVariables: kubernetesVersion,
};

/** The variables of a version of Kubernetes. kubectl rejects a server without a version as incompatible. */
export function kubernetesVersion(version: string): Readonly<Record<string, string | undefined>> {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const variable = (name: string) => `k8s.io/component-base/version.${name}`;
  return { [variable("gitVersion")]: version, [variable("gitMajor")]: major, [variable("gitMinor")]: minor };
}
