import { MusterProcess, type MusterProcessOptions } from "./muster-process.ts";

export interface PlatformAddress {
  /** `127.0.0.1:8080` */
  readonly address: string;
  readonly baseUrl: string;
  /** The uid of the root group. */
  readonly rootGroup: string;
}

export interface PlatformProcessOptions extends MusterProcessOptions {
  /** The port on loopback; by default any free port. */
  readonly port?: number | undefined;
}

/** `muster platform` as a process of its own, on loopback. */
export class PlatformProcess extends MusterProcess {
  constructor(flags: readonly string[], { port = 0, ...options }: PlatformProcessOptions = {}) {
    super(["platform", "--listen", `127.0.0.1:${port}`, ...flags], options);
  }

  /** Resolves when the platform listens. @throws {Error} with its last output if it ends before, or takes too long */
  async listening(): Promise<PlatformAddress> {
    const { address, baseUrl, rootGroup } = await this.logged("listening");
    return { address: String(address), baseUrl: String(baseUrl), rootGroup: String(rootGroup) };
  }
}
