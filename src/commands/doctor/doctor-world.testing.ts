import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { customResourceDefinition } from "#src/api/crd.ts";
import { tenantDefinition } from "#src/api/tenant.ts";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { Gateway } from "#src/commands/access/gateway.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import type { LinkValue } from "#src/commands/why/link.ts";
import { kinds } from "#src/kinds/kinds.ts";
import type { KubeObject } from "#src/kube/object.ts";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";

const ownerId = "kube-system-uid";

/** The definitions of Muster's custom resources. */
export const definitions = [...kinds.map(({ definition }) => definition), tenantDefinition];

/** For tests of `muster doctor`: a cluster and a platform in which nothing is wrong. */
export class DoctorWorld {
  /** The service account of the operator. */
  static readonly account = "system:serviceaccount:muster-system:muster-operator";
  readonly cluster: ClusterServer;
  readonly platform: RunningPlatform;
  readonly gateway: Gateway;
  /** The uid of the operator's identity. */
  readonly identity: string;
  readonly folder = mkdtempSync(join(tmpdir(), "muster-doctor-"));

  private constructor(cluster: ClusterServer, platform: RunningPlatform, gateway: Gateway, identity: string) {
    this.cluster = cluster;
    this.platform = platform;
    this.gateway = gateway;
    this.identity = identity;
  }

  static async start(): Promise<DoctorWorld> {
    const cluster = new ClusterServer();
    await cluster.listen();
    const platform = await RunningPlatform.start();
    const { admin, root } = platform;
    const identity = await platform.makeIdentity(root, "muster", ["127.0.0.1"], DoctorWorld.account);
    await admin.bind(root, identity, await admin.role("owner"));
    await admin.ok("PATCH", `/iam/v2beta1/identities/${identity}?updateMask=description`, {
      description: withRecordedOwner("", ownerId),
    });
    return new DoctorWorld(cluster, platform, await Gateway.to(platform.url), identity);
  }

  /** Makes the cluster as it was, and forgets the calls. */
  reset(): void {
    const { cluster } = this;
    cluster.clear();
    this.gateway.calls.length = 0;
    cluster.put("customresourcedefinitions", ...definitions.map((definition) => customResourceDefinition(definition)));
    putPolicies(cluster, policiesIn("base"));
    cluster.refuses = refusesAll;
    cluster.put("namespaces", kubeSystem(ownerId));
    const renewTime = new Date().toISOString();
    cluster.put("leases", lease({ holderIdentity: "pod-1", leaseDurationSeconds: 15, renewTime }));
    cluster.put("tenants", tenant("Available", "m"));
  }

  async stop(): Promise<void> {
    await this.cluster.close();
    await this.gateway.close();
    await this.platform.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Writes a file. @returns its path */
  file(name: string, text: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** The flags with which a command reads the cluster. */
  withCluster(): readonly string[] {
    return ["--kubeconfig", this.file("kubeconfig", this.cluster.kubeconfig)];
  }

  /** Runs `muster doctor` as the administrator of the platform, about an identity, by default the operator's. */
  doctor(
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
    identity = this.identity,
  ): Promise<CommandRun> {
    const { admin, root } = this.platform;
    const asAdmin = ["--platform-url", this.gateway.url, "--token-file", this.file("token", `${admin.token ?? ""}\n`)];
    const about = ["--identity", identity, "--root-group", root];
    return runCommand(["doctor", ...this.withCluster(), ...asAdmin, ...about, ...args], { env });
  }

  /** What `muster doctor` does not pass. */
  async failures(): Promise<readonly LinkValue[]> {
    const { stdout, stderr } = await this.doctor(["-o", "json"]);
    expect(stdout, stderr).not.toBe("");
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly LinkValue[] };
    return checks.filter(({ state }) => state !== "ok");
  }
}

/** The admission policies in a folder of deploy/kustomize, and their bindings. */
export function policiesIn(folder: string): readonly KubeObject[] {
  const path = `deploy/kustomize/${folder}`;
  const files = readdirSync(path).filter((name) => /polic(y|ies)\.yaml$|^binding\.yaml$/.test(name));
  const documents = files.flatMap((name) => parseAllDocuments(readFileSync(`${path}/${name}`, "utf8")));
  return documents
    .map((document) => document.toJS() as KubeObject)
    .filter(({ kind }) => /AdmissionPolicy(Binding)?$/.test(kind));
}

/** Installs admission policies and bindings. */
export function putPolicies(cluster: ClusterServer, objects: readonly KubeObject[]): void {
  for (const object of objects) cluster.put(`${object.kind.toLowerCase().replace(/policy$/, "policie")}s`, object);
}

/** What the admission policies of an installation refuse. */
export function refusesAll(request: string, asUser?: string): string | undefined {
  const denied = (policy: string) =>
    `"shop" is forbidden: ValidatingAdmissionPolicy '${policy}' with binding '${policy}' denied request: why`;
  if (request.endsWith("/status")) return denied("muster-reserved");
  if (request.startsWith("PATCH tenants/") && asUser?.includes("muster-operator") === true)
    return denied("muster-operator-writes");
  return request.endsWith("/pods") ? denied("muster-identity-required") : undefined;
}

export function kubeSystem(uid: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system", uid } };
}

/** The Lease of the operator. */
export function lease(spec: object): KubeObject & { readonly spec: object } {
  const metadata = { namespace: "muster-system", name: "muster-operator" };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

/** A Tenant that is Ready if the reason is Available. */
export function tenant(reason: string, message: string) {
  const status = reason === "Available" ? "True" : "False";
  const condition = { type: "Ready", status, reason, message, lastTransitionTime: new Date().toISOString() };
  return {
    apiVersion: "iam.muster.dev/v1beta1",
    kind: "Tenant",
    metadata: { name: "shop", generation: 1 },
    spec: { namespaces: ["shop"] },
    status: { conditions: [condition] },
  };
}
