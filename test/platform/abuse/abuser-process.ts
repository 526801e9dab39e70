import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { AbuserMessage, AbuserRequest, Tally } from "./abuser/protocol.ts";

const main = fileURLToPath(new URL("abuser/child.ts", import.meta.url));

/** The process of the abuser: what it computes does not delay the bystander. */
export class AbuserProcess {
  readonly #child: ChildProcess;
  /** Its issuers, which the platform must trust because they are on loopback. */
  readonly issuers: Extract<AbuserMessage, { type: "issuers" }>;

  private constructor(child: ChildProcess, issuers: AbuserProcess["issuers"]) {
    this.#child = child;
    this.issuers = issuers;
  }

  /** @param folder for the certificate of its issuers */
  static async start(folder: string): Promise<AbuserProcess> {
    const child = fork(main, [folder], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    return new AbuserProcess(child, await next(child, "issuers"));
  }

  /** Resolves when everything that the abuse needs is created. @throws {Error} if that fails */
  async prepare(request: Omit<Extract<AbuserRequest, { type: "prepare" }>, "type">): Promise<void> {
    const prepared = next(this.#child, "prepared");
    this.#send({ type: "prepare", ...request });
    await prepared;
  }

  abuse(): void {
    this.#send({ type: "abuse" });
  }

  /** Ends the abuse. */
  async end(): Promise<Tally> {
    const tally = next(this.#child, "tally");
    this.#send({ type: "end" });
    return tally;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  #send(request: AbuserRequest): void {
    this.#child.send(request);
  }
}

/** @throws {Error} if another message arrives, or the process ends */
function next<T extends AbuserMessage["type"]>(
  child: ChildProcess,
  type: T,
): Promise<Extract<AbuserMessage, { type: T }>> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the abuser ended with ${code}; expected ${type}`));
    child.once("exit", ended);
    child.once("message", (message: AbuserMessage) => {
      child.off("exit", ended);
      if (message.type === type) resolve(message as Extract<AbuserMessage, { type: T }>);
      else reject(new Error(`the abuser sent ${message.type}; expected ${type}`));
    });
  });
}
