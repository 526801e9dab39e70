import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { kubeconfigFor } from "#src/commands/reader/kubeconfig.testing.ts";

/** An API server with the objects of one namespace, by plural. */
export class Cluster {
  readonly calls: string[] = [];
  readonly objects: Record<string, unknown[]> = {};
  status = 200;
  readonly #server = createServer((incoming, outgoing) => {
    this.calls.push(`${incoming.method}`);
    const plural = /\/v1(?:beta1)?\/(\w+)/.exec(incoming.url ?? "")?.[1] ?? "";
    const body =
      this.status === 200
        ? { kind: "List", metadata: {}, items: this.objects[plural] ?? [] }
        : { kind: "Status", status: "Failure", code: this.status, reason: "Forbidden", message: "groups is forbidden" };
    outgoing.writeHead(this.status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  /** A kubeconfig for it. */
  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return kubeconfigFor(`http://127.0.0.1:${port}`);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
