import { buildGoProgram } from "#test/support/go-program/build.ts";

/**
 * Builds the program of this folder, which has the commands `helm` and `kustomize`. It shares compiled packages with the
 * control plane: after that, its build takes about a minute.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildDeployTools(progress?: (line: string) => void): Promise<string> {
  return buildGoProgram(
    {
      name: "deploy-tools",
      folder: import.meta.dirname,
      title: "Helm",
      module: "helm.sh/helm/v4",
      linkedVariables: (version) => ({ "helm.sh/helm/v4/internal/version.version": version }),
    },
    { progress },
  );
}
