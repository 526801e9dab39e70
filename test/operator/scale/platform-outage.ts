import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import type { Call, FaultProxy } from "#test/support/harness/fault-proxy.ts";
import type { System } from "#test/support/harness/system.ts";
import type { Program } from "#test/support/bench/bundle.ts";

/** The calls that reach a proxy, and how many of them it forwards at the same time. */
export class ForwardedCalls {
  readonly all: Call[] = [];
  mostInFlight = 0;
  /** No call is forwarded while this is true. */
  areCut = false;
  #inFlight = 0;

  constructor(proxy: FaultProxy) {
    proxy.options = {
      faultFor: (call) => {
        this.all.push(call);
        if (this.areCut) return { is: "not sent" };
        this.#inFlight += 1;
        this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
        return undefined;
      },
      beforeResponding: () => {
        this.#inFlight -= 1;
      },
    };
  }
}

/** Kills the platform. @returns a function that starts it again on its data and its port */
export async function killPlatform(
  { platformPid, platformUrl, folder, adminTokenFile, controlPlane }: System,
  proxyUrl: string,
  program: Program,
): Promise<() => Promise<PlatformProcess>> {
  process.kill(platformPid, "SIGKILL");
  return async () => {
    const flags = ["--data", `${folder}/platform.db`, "--admin-token-file", adminTokenFile, "--base-url", proxyUrl];
    const platform = new PlatformProcess(
      [...flags, "--trusted-issuer", `${controlPlane.url},ca=${controlPlane.caFile}`],
      {
        port: Number(new URL(platformUrl).port),
        program: program.file,
        env: program.env,
      },
    );
    await platform.listening();
    return platform;
  };
}
