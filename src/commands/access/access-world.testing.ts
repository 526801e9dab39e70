import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandRun, runCommand } from "#src/command-line.testing.ts";
import { ClusterServer } from "#src/commands/reader/cluster-server.testing.ts";
import { RunningPlatform } from "#src/platform/tests/running-platform.testing.ts";
import { Gateway } from "./gateway.testing.ts";

const apiVersion = "iam.muster.dev/v1beta1";

/**
 * For tests of `muster access`: a platform with a small company, whose calls are recorded, and a cluster that declares a part
 * of it. The group `shop`, below the root group, has the identity `ci`, which is an editor of it; `web`, below `shop`, has
 * `robot`, which has the custom role `creator` in it, and `reader`, which reads what is in `shop` and nothing above it.
 */
export class AccessWorld {
  /** The terminal in which the commands run. */
  terminal: { readonly tableColumns?: number } = {};
  readonly platform: RunningPlatform;
  readonly gateway: Gateway;
  readonly cluster: ClusterServer;
  readonly uids: Awaited<ReturnType<typeof makeCompany>>;
  readonly folder = mkdtempSync(join(tmpdir(), "muster-access-"));

  private constructor(
    platform: RunningPlatform,
    gateway: Gateway,
    cluster: ClusterServer,
    uids: Awaited<ReturnType<typeof makeCompany>>,
  ) {
    this.platform = platform;
    this.gateway = gateway;
    this.cluster = cluster;
    this.uids = uids;
  }

  static async start(): Promise<AccessWorld> {
    const platform = await RunningPlatform.start();
    const gateway = await Gateway.to(platform.url);
    const cluster = new ClusterServer();
    await cluster.listen();
    const uids = await makeCompany(platform);
    declareIn(cluster, uids);
    return new AccessWorld(platform, gateway, cluster, uids);
  }

  /** Forgets the calls, and lets the cluster respond again. */
  reset(): void {
    this.gateway.calls.length = 0;
    this.cluster.calls.length = 0;
    this.cluster.failure = undefined;
  }

  async stop(): Promise<void> {
    await this.cluster.close();
    await this.gateway.close();
    await this.platform.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Writes a file. @returns its path */
  file(name: string, content: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, content);
    return path;
  }

  /** The flags with which a command reads the cluster. */
  withCluster(): readonly string[] {
    return ["--kubeconfig", this.file("kubeconfig", this.cluster.kubeconfig)];
  }

  /** Runs a command of `muster access` with a token; without a cluster unless arguments name one. */
  run(token: string, ...args: readonly string[]): Promise<CommandRun> {
    const without = args.includes("--kubeconfig") ? [] : ["--no-cluster"];
    const platform = ["--platform-url", this.gateway.url, "--token-file", this.file("token", `${token}\n`)];
    return runCommand(["access", ...args, ...platform, ...without], this.terminal);
  }

  asAdmin(...args: readonly string[]): Promise<CommandRun> {
    return this.run(this.platform.admin.token ?? "", ...args);
  }

  async asReader(...args: readonly string[]): Promise<CommandRun> {
    return this.run(await this.readerToken(), ...args);
  }

  /** A platform token of the identity `reader`. */
  async readerToken(): Promise<string> {
    const { reader } = this.uids;
    const response = await this.platform.exchange(await this.platform.subjectToken(reader), reader);
    return response.body.token;
  }
}

export function jsonOf(run: CommandRun): Record<string, unknown> {
  return JSON.parse(run.stdout) as Record<string, unknown>;
}

async function makeCompany(platform: RunningPlatform) {
  const { admin, root } = platform;
  const shop = await admin.group(root, "shop");
  const web = await admin.group(shop, "web");
  const ci = await admin.identity(shop, "ci");
  const robot = await admin.identity(web, "robot");
  const role = { name: "creator", capabilities: ["CAP_REPO_CREATE"] };
  const { uid: creator } = await admin.ok("POST", `/iam/v2beta1/roles/${root}`, role);
  const ciBinding = await admin.bind(shop, ci, await admin.role("editor"));
  await admin.bind(web, robot, creator);
  const reader = await platform.makeIdentity(web, "caller");
  await admin.bind(shop, reader, await admin.role("viewer"));
  return { shop, web, ci, robot, creator, ciBinding, reader };
}

/** Objects that declare `ci`'s role binding, the role `creator` and the group `web`. */
function declareIn(cluster: ClusterServer, { ciBinding, creator, web }: Awaited<ReturnType<typeof makeCompany>>): void {
  const inShop = (name: string, labels: Readonly<Record<string, string>> = {}) => ({ namespace: "shop", name, labels });
  cluster.put("rolebindings", {
    apiVersion,
    kind: "RoleBinding",
    metadata: inShop("ci-edits", { "argocd.argoproj.io/instance": "shop-app" }),
    // It was edited by mistake: what the status records is in force.
    spec: { expiresAt: "2030-01-01T00:00:00+24:00" },
    status: { uid: ciBinding, expiresAt: "2030-01-01T00:00:00Z" },
  });
  cluster.put("roles", { apiVersion, kind: "Role", metadata: inShop("creates"), status: { uid: creator } });
  const flux = { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" };
  cluster.put("groups", { apiVersion, kind: "Group", metadata: inShop("web", flux), status: { uid: web } });
}
