import { buildGoProgram } from "#test/support/go-program/build.ts";

/**
 * Builds the program of this folder, which checks Dockerfiles and workflows.
 * @returns the path of the program
 * @throws {ControlPlaneUnavailable} if Go is missing, or if the build fails (for example without the Go module proxy)
 */
export async function buildReleaseTools(progress?: (line: string) => void): Promise<string> {
  return buildGoProgram(
    {
      name: "release-tools",
      folder: import.meta.dirname,
      title: "the linters of workflows and Dockerfiles",
      module: "github.com/rhysd/actionlint",
    },
    { progress },
  );
}
