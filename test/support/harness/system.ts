import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerOf } from "#src/platform-client/owner-record.ts";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import type { Cluster } from "./cluster.ts";
import { asInPod, byKubeconfig } from "./kubernetes-access.ts";
import { isReady } from "./muster-objects.ts";
import { MusterProcess, type MusterProcessOptions } from "./muster-process.ts";
import { Operator } from "./operator.ts";
import { createOperatorIdentity, ownerIdOf } from "./operator-identity.ts";
import { PlatformAdmin } from "./platform-admin.ts";
import { PlatformProcess } from "./platform-process.ts";
import { permissiveTenant } from "./tenants.ts";
import { type OperatorRbac, prepareCluster, type ServiceAccountName } from "./prepare-cluster.ts";

export interface SystemOptions<C extends Cluster = ControlPlane> {
  readonly controlPlane: C;
  /** The namespaces of the objects. They are created; by default `team`. */
  readonly namespaces?: readonly string[];
  /** The file to run as `muster`: the source (by default) or the bundle. */
  readonly program?: string;
  /** More options of the processes, by command. */
  readonly run?: (command: "platform" | "operator") => Pick<MusterProcessOptions, "env" | "watch" | "onLine">;
  readonly platformFlags?: readonly string[];
  /** The port of the platform on loopback; by default any free port. */
  readonly platformPort?: number | undefined;
  /** The namespace of the operators' service account and Lease. It is created; by default `muster-system`. */
  readonly operatorNamespace?: string | undefined;
  /** Operators connect with a kubeconfig, as outside of a cluster. By default they connect as in a pod. */
  readonly outside?: boolean;
  /** Aborts the start. */
  readonly signal?: AbortSignal | undefined;
  /** The operators' permissions in Kubernetes; by default all. */
  readonly rbac?: OperatorRbac;
  /** The class of the operators, for a cluster that may have others; by default none. */
  readonly operatorClass?: string | undefined;
  /** The Tenants, from the uid of the root group; by default one that permits everything in `namespaces`. */
  readonly tenants?: (root: string, namespaces: readonly string[]) => readonly KubeObject[];
}

export const operatorAccount = "muster-operator";
/** The roles that operators may grant. */
export const allowedRoles: readonly string[] = ["viewer", "editor", "registry.pull"];
const adminTokenName = "admin-token";
const platformDataName = "platform.db";
/** No kubelet replaces the token file, so the token must outlive every run. */
const tokenLifetimeSeconds = 86_400;

interface Parts {
  readonly folder: string;
  readonly platform: PlatformProcess;
  readonly platformUrl: string;
  readonly admin: PlatformAdmin;
  readonly adminToken: string;
  readonly root: string;
  readonly identity: string;
  readonly preexisting: ReadonlySet<string>;
}

/**
 * All of Muster on loopback: a control plane, the platform as a process with its data in a file, and operators as
 * processes that authenticate with a service account's token. `stop` ends the processes, but not the control plane,
 * and removes the files.
 */
export class System<C extends Cluster = ControlPlane> {
  readonly controlPlane: C;
  readonly admin: PlatformAdmin;
  readonly platformUrl: string;
  /** The uid of the root group. */
  readonly root: string;
  /** The uid of the identity that operators assume. */
  readonly identity: string;
  readonly folder: string;
  /** The uids of the platform's resources from before the first operator. */
  readonly preexisting: ReadonlySet<string>;
  /** Every token that was issued, for tests that search for leaked tokens. */
  readonly secrets: string[];
  readonly #options: SystemOptions<C>;
  readonly #platform: PlatformProcess;
  readonly #operators: MusterProcess[] = [];

  private constructor(options: SystemOptions<C>, parts: Parts) {
    this.#options = options;
    this.controlPlane = options.controlPlane;
    this.folder = parts.folder;
    this.#platform = parts.platform;
    this.platformUrl = parts.platformUrl;
    this.admin = parts.admin;
    this.root = parts.root;
    this.identity = parts.identity;
    this.preexisting = parts.preexisting;
    const { adminToken } = options.controlPlane;
    this.secrets = [parts.adminToken, ...(adminToken === undefined ? [] : [adminToken])];
  }

  /** Starts the platform and prepares the cluster. @throws {Error} if a part does not start; nothing keeps running */
  static async start<C extends Cluster = ControlPlane>(options: SystemOptions<C>): Promise<System<C>> {
    const { controlPlane, platformPort: port, signal } = options;
    signal?.throwIfAborted();
    const folder = await mkdtemp(join(tmpdir(), "muster-system-"));
    const adminTokenFile = join(folder, adminTokenName);
    const flags = ["--data", join(folder, platformDataName), "--admin-token-file", adminTokenFile];
    if (controlPlane.caFile !== undefined)
      flags.push("--trusted-issuer", `${controlPlane.url},ca=${controlPlane.caFile}`);
    // Its address may be private, for which the platform would refuse identities.
    if (controlPlane.issuer !== undefined) flags.push("--trusted-issuer", controlPlane.issuer.url);
    const platform = new PlatformProcess([...flags, ...(options.platformFlags ?? [])], {
      ...processOptions(options, "platform"),
      port,
    });
    const abort = () => void platform.kill();
    signal?.addEventListener("abort", abort);
    try {
      const platformUrl = `http://${(await platform.listening()).address}`;
      const adminToken = (await readFile(adminTokenFile, "utf8")).trim();
      const admin = new PlatformAdmin(platformUrl, adminToken);
      const root = await admin.rootGroup();
      const account = accountOf(options);
      const audience = new URL(platformUrl).hostname;
      const owner = ownerOf(await ownerIdOf(controlPlane), options.operatorClass);
      const identity = await createOperatorIdentity(admin, root, controlPlane, account, { audience, owner });
      const collections = (["groups", "identities", "roles", "roleBindings"] as const).map((collection) =>
        admin.list(collection),
      );
      const preexisting = new Set((await Promise.all(collections)).flat().map(({ uid }) => uid));
      const namespaces = namespacesOf(options);
      await prepareCluster(controlPlane, account, namespaces, options.rbac);
      const { tenants = (group) => [permissiveTenant("test", { namespaces, groups: [group], roles: allowedRoles })] } =
        options;
      for (const tenant of tenants(root, namespaces)) await controlPlane.admin.apply(tenant);
      return new System(options, { folder, platform, platformUrl, admin, adminToken, root, identity, preexisting });
    } catch (error) {
      await platform.kill();
      await rm(folder, { recursive: true, force: true });
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** The file with the administrator's token of the platform. */
  get adminTokenFile(): string {
    return join(this.folder, adminTokenName);
  }

  /** The SQLite file with the platform's data. */
  get platformDataFile(): string {
    return join(this.folder, platformDataName);
  }

  get operatorNamespace(): string {
    return accountOf(this.#options).namespace;
  }

  get platformPid(): number {
    return this.#platform.pid;
  }

  get platformLog() {
    return this.#platform.log;
  }

  /** Starts one more operator. `flags` come after the flags that are set here. */
  async startOperator(
    flags: readonly string[] = [],
    {
      platformUrl = this.platformUrl,
      identity = this.identity,
      kubernetesUrl,
      program,
    }: {
      platformUrl?: string;
      identity?: string;
      kubernetesUrl?: string | undefined;
      /** What runs instead of the system's program: another build, with the variables of its image. */
      program?: { readonly file: string; readonly env: Readonly<Record<string, string>> } | undefined;
    } = {},
  ): Promise<Operator> {
    const { operatorClass } = this.#options;
    const cluster = this.#options.controlPlane;
    // Behind a proxy, the API server has another address, and its certificate is the same.
    const controlPlane = kubernetesUrl === undefined ? cluster : { ...cluster, url: kubernetesUrl };
    const account = accountOf(this.#options);
    const number = this.#operators.length;
    const tokenFile = join(this.folder, `token-${number}`);
    const platformToken = await this.#createToken([new URL(this.platformUrl).hostname]);
    await writeFile(tokenFile, platformToken, { mode: 0o600 });
    const token = await this.#createToken();
    const access = await (this.#options.outside === true
      ? byKubeconfig(controlPlane, { ...account, token }, join(this.folder, `kubeconfig-${number}`))
      : asInPod(controlPlane, { ...account, token }, join(this.folder, `service-account-${number}`)));
    const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
    const options = {
      ...processOptions(this.#options, "operator"),
      ...(program === undefined ? {} : { program: program.file, env: program.env }),
    };
    const process = new MusterProcess(
      [
        "operator",
        "--platform-url",
        platformUrl,
        "--identity",
        identity,
        "--token-file",
        tokenFile,
        "--root-group",
        this.root,
        ...repeated("--allowed-role", allowedRoles),
        "--listen",
        "127.0.0.1:0",
        ...(operatorClass === undefined ? [] : ["--class", operatorClass, "--lease-name", operatorAccount]),
        ...access.flags,
        ...flags,
      ],
      { ...options, env: { ...options.env, ...access.env } },
    );
    this.#operators.push(process);
    const { address } = await process.logged("listening");
    return new Operator(process, String(address));
  }

  /** All operators that were started, including those that have ended. */
  get operators(): readonly MusterProcess[] {
    return this.#operators;
  }

  /**
   * Waits until the object is as wanted.
   * @throws {Error} with the last output of the newest operator after the timeout
   */
  async waitFor(
    ref: ObjectRef,
    wanted: (object: KubeObject | undefined) => boolean,
    timeoutMs = 30_000,
  ): Promise<KubeObject | undefined> {
    return this.controlPlane.admin.waitFor(ref, wanted, { timeoutMs }).catch((error: Error) => {
      throw new Error(`${error.message}\nThe operator: ${this.operators.at(-1)?.lastOutput()}`, { cause: error });
    });
  }

  /** Waits until the object is Ready with its current generation. */
  async ready(ref: ObjectRef, timeoutMs?: number): Promise<KubeObject> {
    const object = await this.waitFor(ref, isReady, timeoutMs);
    if (object === undefined) throw new Error(`${ref.kind} ${ref.metadata.name} does not exist`);
    return object;
  }

  /** Waits until the object does not exist. */
  async gone(ref: ObjectRef, timeoutMs?: number): Promise<void> {
    await this.waitFor(ref, (object) => object === undefined, timeoutMs);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#operators.map((operator) => operator.kill()));
    await this.#platform.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #createToken(audiences?: readonly string[]): Promise<string> {
    const { namespace, name } = accountOf(this.#options);
    const token = await this.controlPlane.admin.createToken(namespace, name, {
      ...(audiences === undefined ? {} : { audiences }),
      expirationSeconds: tokenLifetimeSeconds,
    });
    this.secrets.push(token);
    return token;
  }
}

function processOptions({ program, run }: SystemOptions<Cluster>, command: "platform" | "operator") {
  return { ...(program === undefined ? {} : { program }), ...run?.(command) } satisfies MusterProcessOptions;
}

function accountOf({ operatorNamespace = "muster-system" }: SystemOptions<Cluster>): ServiceAccountName {
  return { namespace: operatorNamespace, name: operatorAccount };
}

function namespacesOf({ namespaces = ["team"] }: SystemOptions<Cluster>): readonly string[] {
  return namespaces;
}
