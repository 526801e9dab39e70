import type { Program } from "#test/support/bench/bundle.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import type { System } from "#test/support/harness/system.ts";

/** Kills the platform. @returns a function that starts it again at its port, with other flags in addition */
export function killPlatform(
  { platformPid, platformUrl, adminTokenFile, controlPlane }: System,
  program: Program,
): (flags: readonly string[]) => Promise<PlatformProcess> {
  process.kill(platformPid, "SIGKILL");
  return async (flags) => {
    const trusted = ["--trusted-issuer", `${controlPlane.url},ca=${controlPlane.caFile}`];
    const platform = new PlatformProcess([...flags, "--admin-token-file", adminTokenFile, ...trusted], {
      port: Number(new URL(platformUrl).port),
      program: program.file,
      env: program.env,
    });
    await platform.listening();
    return platform;
  };
}
