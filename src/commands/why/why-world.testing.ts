import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import type { WhyAnswer } from "./answer.ts";
import type { LinkValue } from "./link.ts";

export const root = "a".repeat(40);
const apiVersion = "iam.muster.dev/v1beta1";
export const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

interface Given {
  readonly spec?: object;
  readonly reason?: string;
  readonly message?: string;
  readonly generation?: number;
  readonly uid?: string;
  readonly namespace?: string;
}

/** An object whose condition has a reason; `Available`: it is Ready. Without one, it has no status. */
export function object(
  kind: string,
  name: string,
  { generation = 1, message = "m", namespace = "shop", reason, spec, uid }: Given,
) {
  const status = reason === "Available" ? "True" : "False";
  const condition = { type: "Ready", status, reason, message, observedGeneration: 1, lastTransitionTime: ago(60_000) };
  return {
    apiVersion,
    kind,
    metadata: { namespace, name, uid: `uid-${name}`, generation, creationTimestamp: ago(90_000) },
    spec,
    ...(reason === undefined
      ? {}
      : {
          status: {
            observedGeneration: 1,
            tenant: "shop",
            conditions: [condition],
            ...(uid === undefined ? {} : { uid }),
          },
        }),
  };
}

/** The Tenant of the namespace `shop`, Ready unless the reason is another one. */
export function tenant(name: string, { message = "m", reason = "Available", spec = {} }: Given, status: object = {}) {
  const { metadata: _, status: written, ...rest } = object("Tenant", name, { message, reason });
  return {
    ...rest,
    metadata: { name, generation: 1 },
    spec: { namespaces: ["shop"], groups: [root], ...spec },
    status: { ...written, ...status },
  };
}

/** The Lease of the operator. */
export const lease = (spec: object) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "muster-system", name: "muster-operator" },
  spec,
});
/** Renewed ahead of time, because the tests of a file may take longer than the Lease lasts. */
export const led = {
  holderIdentity: "pod-1",
  leaseDurationSeconds: 15,
  renewTime: ago(-3_600_000),
  acquireTime: ago(100_000),
};
export const identity = { groupRef: { name: "web" }, serviceAccountRef: { name: "ci" } };
export const binding = { groupRef: { name: "web" }, identityRef: { name: "ci" }, roleRef: { name: "viewer" } };

/**
 * A cluster, and a platform behind a gateway, for the tests of a file. Before each test, the Tenant `shop` governs the namespace
 * `shop`, an operator leads, and the group `web` and the identity `ci` are Ready.
 */
export class WhyWorld {
  readonly cluster = new ClusterServer();
  readonly folder = mkdtempSync(join(tmpdir(), "muster-why-"));
  #platform: RunningPlatform | undefined;
  #gateway: Gateway | undefined;

  constructor() {
    beforeAll(async () => {
      this.#platform = await RunningPlatform.start();
      this.#gateway = await Gateway.to(this.#platform.url);
      await this.cluster.listen();
    });
    afterAll(async () => {
      await this.cluster.close();
      await this.#gateway?.close();
      await this.#platform?.stop();
      rmSync(this.folder, { recursive: true });
    });
    beforeEach(() => this.#reset());
  }

  get platform(): RunningPlatform {
    if (this.#platform === undefined) throw new Error("the platform has not started");
    return this.#platform;
  }

  get gateway(): Gateway {
    if (this.#gateway === undefined) throw new Error("the gateway has not started");
    return this.#gateway;
  }

  #reset(): void {
    const { cluster, gateway } = this;
    cluster.clear();
    gateway.calls.length = 0;
    cluster.put("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "shop", labels: { team: "a" } },
    });
    cluster.put("tenants", tenant("shop", {}));
    cluster.put("leases", lease(led));
    cluster.put("groups", object("Group", "web", { reason: "Available", spec: { parentUid: root } }));
    cluster.put("identities", object("Identity", "ci", { reason: "Available", spec: identity }));
  }

  readonly why = (...args: readonly string[]) => {
    const kubeconfig = join(this.folder, "kubeconfig");
    writeFileSync(kubeconfig, this.cluster.kubeconfig);
    const reads = args.includes("--token-file") ? [] : ["--no-platform"];
    return runCommand(["why", ...args, "--kubeconfig", kubeconfig, ...reads], { env: {} });
  };

  readonly answer = async (...args: readonly string[]): Promise<WhyAnswer<LinkValue>> => {
    const { stdout, stderr } = await this.why(...args, "-o", "json");
    expect(stdout, stderr).not.toBe("");
    return JSON.parse(stdout) as WhyAnswer<LinkValue>;
  };

  readonly causes = async (...args: readonly string[]) =>
    (await this.answer(...args)).causes.map(({ reason, subject }) => `${subject} ${reason ?? ""}`.trim());
}
