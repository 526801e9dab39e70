import { generateKeyPair, randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { auditFlags, AuditLog, type RequestCount, writeAuditPolicy } from "./audit.ts";
import { freePort } from "./free-port.ts";
import { KubeClient } from "./kube-client.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { findPrograms, type Programs } from "./programs.ts";
import { ServerProcess } from "./server-process.ts";

/** A real Kubernetes API: kube-apiserver and etcd, with the controllers that delete the contents of namespaces. */
export interface ControlPlane {
  /** `https://127.0.0.1:PORT`, also the issuer of service-account tokens. Discovery and keys are public. */
  readonly url: string;
  /** The certificate authority of the API server, as a file and as PEM. */
  readonly caFile: string;
  readonly ca: string;
  /** A member of `system:masters`. */
  readonly adminToken: string;
  readonly kubeconfigFile: string;
  /** A client with the administrator's token. */
  readonly admin: KubeClient;
  /** The folder of all files. `stop` removes it. */
  readonly folder: string;
  readonly apiServerPid: number;
  /** Without the controllers (see `Programs`), a deleted namespace stays and a new one has no service account. */
  readonly hasControllers: boolean;
  /**
   * Sends SIGKILL to the API server, and starts it again on its data after `downMs` (by default at once). It then knows no
   * earlier change: a watch that resumes gets 410 Gone. `apiServerPid` is that of the first process.
   */
  restartApiServer(downMs?: number): Promise<void>;
  /** All completed requests by user, verb, resource and code. @throws {Error} without the option `audit` */
  requestCounts(): Promise<readonly RequestCount[]>;
  /** Ends the processes and removes the folder. It can be called again. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Log the metadata of each request, for `requestCounts`; by default false. */
  readonly audit?: boolean;
  readonly progress?: ((line: string) => void) | undefined;
  /** Stops the control plane, even while it starts. */
  readonly signal?: AbortSignal | undefined;
}

const startTimeoutMs = 60_000;

/**
 * Starts a control plane on loopback with its data in a temporary folder. It takes about three seconds once the
 * programs are built. It ends with this process.
 * @throws {ControlPlaneUnavailable} if the programs can neither be found nor built
 */
export async function startControlPlane({ audit = false, progress, signal }: StartOptions = {}): Promise<ControlPlane> {
  const programs = await findPrograms({ progress, signal });
  signal?.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "muster-control-plane-"));
  const servers: ServerProcess[] = [];
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", removeFolder);
  const stop = async () => {
    signal?.removeEventListener("abort", stopQuietly);
    await Promise.all(servers.map((server) => server.kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    process.removeListener("exit", removeFolder);
  };
  const stopQuietly = () => void stop().catch(() => {});
  signal?.addEventListener("abort", stopQuietly, { once: true });
  try {
    return { ...(await start(programs, folder, servers, audit, signal)), stop };
  } catch (error) {
    await stop();
    // What failed after the folder was removed says nothing.
    signal?.throwIfAborted();
    throw error;
  }
}

async function start(
  programs: Programs,
  folder: string,
  servers: ServerProcess[],
  audit: boolean,
  signal: AbortSignal | undefined,
): Promise<Omit<ControlPlane, "stop">> {
  const file = (name: string) => join(folder, name);
  const run = (program: Programs["etcd"], name: string, flags: Record<string, string>) => {
    const server = new ServerProcess(program, flags, file(`${name}.log`));
    servers.push(server);
    return server;
  };
  // etcd does not authenticate its clients, so it listens on a socket in a folder that only this user can enter.
  const etcdAddress = `unix://${file("etcd.sock")}`;
  run(programs.etcd, "etcd", etcdFlags(file("etcd"), etcdAddress));

  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const adminToken = randomBytes(24).toString("base64url");
  const controllersToken = randomBytes(24).toString("base64url");
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const secret = { mode: 0o600 };
  await writeFile(file("service-account.key"), keys.privateKey, secret);
  await writeFile(file("service-account.pub"), keys.publicKey);
  await writeFile(
    file("tokens.csv"),
    `${adminToken},admin,admin,system:masters\n${controllersToken},system:kube-controller-manager,controllers,system:masters\n`,
    secret,
  );
  if (audit) await writeAuditPolicy(folder);
  const runApiServer = () =>
    run(programs.apiServer, "kube-apiserver", {
      ...apiServerFlags(folder, port, url, etcdAddress),
      ...(audit ? auditFlags(folder) : {}),
    });
  let apiServer = runApiServer();

  const caFile = file("certificates/apiserver.crt");
  const ca = await ready(servers, url, caFile, adminToken, signal);
  const kubeconfigFile = file("kubeconfig");
  await writeFile(kubeconfigFile, kubeconfig({ url, ca, token: adminToken, user: "admin" }), secret);
  if (programs.controllers) {
    const config = file("controllers.kubeconfig");
    await writeFile(config, kubeconfig({ url, ca, token: controllersToken, user: "controllers" }), secret);
    run(programs.controllers, "controllers", { kubeconfig: config, "root-ca-file": caFile });
  }
  const admin = new KubeClient({ url, ca, token: adminToken });
  await admin.apply(publicDiscovery, { fieldManager: "control-plane" });
  const auditLog = audit ? new AuditLog(folder, admin) : undefined;
  return {
    url,
    caFile,
    ca,
    adminToken,
    kubeconfigFile,
    admin,
    folder,
    apiServerPid: apiServer.pid,
    restartApiServer: async (downMs = 0) => {
      await apiServer.kill();
      await sleep(downMs);
      servers.splice(servers.indexOf(apiServer), 1);
      apiServer = runApiServer();
      await ready(servers, url, caFile, adminToken, signal);
    },
    hasControllers: programs.controllers !== undefined,
    requestCounts: async () => {
      if (!auditLog) throw new Error("requestCounts: start the control plane with audit: true");
      return auditLog.counts();
    },
  };
}

/** The flags of etcd for data that must not survive a power failure. */
export function etcdFlags(data: string, address: string): Record<string, string> {
  return {
    "data-dir": data,
    "listen-client-urls": address,
    // etcd requires a host and a port here. Only other members would use them.
    "advertise-client-urls": "http://127.0.0.1:2379",
    "listen-peer-urls": "http://127.0.0.1:0",
    // No data must survive a power failure.
    "unsafe-no-fsync": "true",
    "log-level": "warn",
  };
}

function apiServerFlags(folder: string, port: number, url: string, etcd: string): Record<string, string> {
  return {
    "etcd-servers": etcd,
    "secure-port": String(port),
    "bind-address": "127.0.0.1",
    "advertise-address": "127.0.0.1",
    "endpoint-reconciler-type": "none",
    "cert-dir": join(folder, "certificates"),
    "authorization-mode": "RBAC",
    "token-auth-file": join(folder, "tokens.csv"),
    "service-account-issuer": url,
    // Without it, discovery names the machine's own address, which is not in the certificate.
    "service-account-jwks-uri": `${url}/openid/v1/jwks`,
    "service-account-key-file": join(folder, "service-account.pub"),
    "service-account-signing-key-file": join(folder, "service-account.key"),
    "service-cluster-ip-range": "10.0.0.0/24",
    profiling: "false",
  };
}

/** Lets anyone read the issuer's discovery document and keys, as a platform outside of the cluster must. */
const publicDiscovery = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "public-service-account-issuer-discovery" },
  roleRef: {
    apiGroup: "rbac.authorization.k8s.io",
    kind: "ClusterRole",
    name: "system:service-account-issuer-discovery",
  },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "system:unauthenticated" }],
};

/** Waits until the API server is ready and has created its own namespaces. @returns its certificate authority */
async function ready(
  servers: readonly ServerProcess[],
  url: string,
  caFile: string,
  token: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const deadline = performance.now() + startTimeoutMs;
  let ca = "";
  let lastError: unknown;
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const dead = servers.find((server) => !server.running);
    if (dead) throw new Error(`${dead.name} ended while the control plane was starting:\n${await dead.lastLogLines()}`);
    try {
      ca ||= await readFile(caFile, "utf8");
      const client = new KubeClient({ url, ca, token });
      await client.request("GET", "/readyz");
      await client.request("GET", "/api/v1/namespaces/kube-system");
      await client.request("GET", "/api/v1/namespaces/default");
      return ca;
    } catch (error) {
      lastError = error;
      await sleep(50, undefined, { signal });
    }
  }
  throw new Error(`the API server was not ready after ${startTimeoutMs / 1000} s`, { cause: lastError });
}
