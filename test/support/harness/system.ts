import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import type { KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";
import type { Cluster } from "./cluster.ts";
import { customResourceDefinitions, isEstablished } from "./custom-resource-definitions.ts";
import { asInPod, byKubeconfig } from "./kubernetes-access.ts";
import { isReady } from "./muster-objects.ts";
import { MusterProcess, type MusterProcessOptions } from "./muster-process.ts";
import { Operator } from "./operator.ts";
import { PlatformAdmin } from "./platform-admin.ts";

export interface SystemOptions<C extends Cluster = ControlPlane> {
  readonly controlPlane: C;
  /** Namespaces that the operator looks after; made here. */
  readonly namespaces?: readonly string[];
  readonly allowedRoles?: readonly string[];
  /** The file that runs as `muster`: the source, or the bundle. */
  readonly program?: string;
  /** More of how `muster` is run, by command. */
  readonly run?: (command: "platform" | "operator") => Pick<MusterProcessOptions, "env" | "watch" | "onLine">;
  readonly platformFlags?: readonly string[];
  /** Where the platform answers; default: any free port. */
  readonly platformPort?: number | undefined;
  /** Where the operators' service account and Lease are; made here. */
  readonly operatorNamespace?: string | undefined;
  /** Operators find Kubernetes by a kubeconfig, as outside of a cluster. Default: by what a pod is given. */
  readonly outside?: boolean;
  /** Ends what is being started. */
  readonly signal?: AbortSignal | undefined;
  /** What the operator may do in Kubernetes; made before it starts. Default: all. */
  readonly rbac?: (
    serviceAccount: { readonly namespace: string; readonly name: string },
    namespaces: readonly string[],
  ) => readonly KubeObject[];
}

const defaultOperatorNamespace = "muster-system";
export const operatorAccount = "muster";
const adminTokenName = "admin-token";
/** Nobody replaces the file here as a kubelet would, so the token lasts as long as anybody may look. */
const tokenLifeSeconds = 86_400;

/**
 * The whole of Muster on loopback, with real parts only: a control plane, the platform as a process with its data in a
 * file, and operators as processes that authenticate with a service account's token. `stop` ends all but the control
 * plane and removes the files.
 */
export class System<C extends Cluster = ControlPlane> {
  readonly controlPlane: C;
  readonly admin: PlatformAdmin;
  readonly platformUrl: string;
  /** The uid of the root group. */
  readonly root: string;
  /** The identity that operators assume. */
  readonly identity: string;
  readonly folder: string;
  /** The uids of what the platform held before any operator started. */
  readonly before: ReadonlySet<string>;
  /** Every token that was given to anybody, for tests that look for them where they must not be. */
  readonly secrets: string[];
  readonly #options: SystemOptions<C>;
  readonly #platform: MusterProcess;
  readonly #operators = new Set<MusterProcess>();

  private constructor(
    options: SystemOptions<C>,
    parts: {
      folder: string;
      platform: MusterProcess;
      platformUrl: string;
      admin: PlatformAdmin;
      adminToken: string;
      root: string;
      identity: string;
      before: ReadonlySet<string>;
    },
  ) {
    this.#options = options;
    this.controlPlane = options.controlPlane;
    this.folder = parts.folder;
    this.#platform = parts.platform;
    this.platformUrl = parts.platformUrl;
    this.admin = parts.admin;
    this.root = parts.root;
    this.identity = parts.identity;
    this.before = parts.before;
    const { adminToken } = options.controlPlane;
    this.secrets = [parts.adminToken, ...(adminToken === undefined ? [] : [adminToken])];
  }

  static async start<C extends Cluster = ControlPlane>(options: SystemOptions<C>): Promise<System<C>> {
    const { controlPlane, program, signal } = options;
    signal?.throwIfAborted();
    const folder = await mkdtemp(join(tmpdir(), "muster-system-"));
    const adminTokenFile = join(folder, adminTokenName);
    const platform = new MusterProcess(
      [
        "platform",
        "--data",
        join(folder, "platform.db"),
        "--listen",
        `127.0.0.1:${options.platformPort ?? 0}`,
        "--admin-token-file",
        adminTokenFile,
        ...(controlPlane.caFile === undefined
          ? []
          : ["--trusted-issuer", `${controlPlane.url},ca=${controlPlane.caFile}`]),
        ...(options.platformFlags ?? []),
      ],
      { ...(program === undefined ? {} : { program }), ...options.run?.("platform") },
    );
    const end = () => void platform.kill();
    signal?.addEventListener("abort", end);
    try {
      const { address } = await platform.logged("listening");
      const platformUrl = `http://${String(address)}`;
      const adminToken = (await readFile(adminTokenFile, "utf8")).trim();
      const admin = new PlatformAdmin(platformUrl, adminToken);
      const root = await admin.rootGroup();
      const identity = await admin.create("identities", root, {
        name: "operator",
        ...operatorClaims(options, platformUrl),
      });
      const owner = (await admin.list("roles")).find((role) => role.name === "owner");
      await admin.create("roleBindings", root, { identityUid: identity.uid, roleUid: owner?.uid });
      const everything = await Promise.all(
        (["groups", "identities", "roleBindings"] as const).map((collection) => admin.list(collection)),
      );
      const before = new Set(everything.flat().map(({ uid }) => uid));
      const parts = { folder, platform, platformUrl, admin, adminToken, root, identity: identity.uid, before };
      const system = new System(options, parts);
      await system.#prepareCluster();
      return system;
    } catch (error) {
      await platform.kill();
      await rm(folder, { recursive: true, force: true });
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", end);
    }
  }

  /** Where the platform wrote the administrator's token. */
  get adminTokenFile(): string {
    return join(this.folder, adminTokenName);
  }

  get operatorNamespace(): string {
    return this.#options.operatorNamespace ?? defaultOperatorNamespace;
  }

  get namespaces(): readonly string[] {
    return this.#options.namespaces ?? ["team"];
  }

  get platformPid(): number {
    return this.#platform.pid;
  }

  /** The platform's log. */
  get platformLog() {
    return this.#platform.log;
  }

  /** Starts one more operator. `flags` come last, so they win over nothing: give what is not given here. */
  async startOperator(
    flags: readonly string[] = [],
    { platformUrl = this.platformUrl }: { platformUrl?: string } = {},
  ): Promise<Operator> {
    const { controlPlane, program } = this.#options;
    const account = { namespace: this.operatorNamespace, name: operatorAccount };
    const number = this.#operators.size;
    const tokenFile = join(this.folder, `token-${number}`);
    const audiences = [new URL(this.platformUrl).hostname];
    const projected = await controlPlane.admin.createToken(account.namespace, account.name, {
      audiences,
      expirationSeconds: tokenLifeSeconds,
    });
    await writeFile(tokenFile, projected, { mode: 0o600 });
    const token = await controlPlane.admin.createToken(account.namespace, account.name, {
      expirationSeconds: tokenLifeSeconds,
    });
    this.secrets.push(projected, token);
    const access = await (this.#options.outside === true
      ? byKubeconfig(controlPlane, { ...account, token }, join(this.folder, `kubeconfig-${number}`))
      : asInPod(controlPlane, { ...account, token }, join(this.folder, `service-account-${number}`)));
    const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
    const run = this.#options.run?.("operator");
    const process = new MusterProcess(
      [
        "operator",
        "--platform-url",
        platformUrl,
        "--identity",
        this.identity,
        "--token-file",
        tokenFile,
        "--root-group",
        this.root,
        ...repeated("--watch-namespace", this.namespaces),
        ...repeated("--allowed-role", this.#options.allowedRoles ?? ["viewer", "editor", "registry.pull"]),
        "--listen",
        "127.0.0.1:0",
        ...access.flags,
        ...flags,
      ],
      { ...(program === undefined ? {} : { program }), ...run, env: { ...run?.env, ...access.env } },
    );
    this.#operators.add(process);
    const { address } = await process.logged("listening");
    return new Operator(process, String(address));
  }

  /** All operators that were started, also those that have ended. */
  get operators(): readonly MusterProcess[] {
    return [...this.#operators];
  }

  /** Waits until Kubernetes shows the object so; a failure tells what the last operator said. @returns the object */
  async shows(
    ref: ObjectRef,
    wanted: (object: KubeObject | undefined) => boolean,
    timeoutMs = 30_000,
  ): Promise<KubeObject | undefined> {
    return this.controlPlane.admin.waitFor(ref, wanted, { timeoutMs }).catch((error: Error) => {
      throw new Error(`${error.message}\nThe operator: ${this.operators.at(-1)?.lastWords()}`, { cause: error });
    });
  }

  /** Waits until the object is Ready with its present spec. */
  async ready(ref: ObjectRef, timeoutMs?: number): Promise<KubeObject> {
    const object = await this.shows(ref, isReady, timeoutMs);
    if (object === undefined) throw new Error(`${ref.kind} ${ref.metadata.name} is not there`);
    return object;
  }

  async gone(ref: ObjectRef, timeoutMs?: number): Promise<void> {
    await this.shows(ref, (object) => object === undefined, timeoutMs);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#operators].map((operator) => operator.kill()));
    await this.admin.close();
    await this.#platform.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #prepareCluster(): Promise<void> {
    const { admin } = this.controlPlane;
    // Those of somebody's cluster stay as they are.
    for (const definition of await customResourceDefinitions())
      if ((await admin.find(definition)) === undefined) await admin.apply(definition);
    for (const definition of await customResourceDefinitions())
      await admin.waitFor(definition, (object) => isEstablished(object));
    for (const name of [this.operatorNamespace, ...this.namespaces])
      await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    const account = { namespace: this.operatorNamespace, name: operatorAccount };
    await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
    const rbac = this.#options.rbac ?? allowAll;
    for (const object of rbac(account, this.namespaces)) await admin.apply(object);
  }
}

function allowAll({ namespace, name }: { namespace: string; name: string }): KubeObject[] {
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "muster-test" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", namespace, name }],
    },
  ];
}

/** How the platform knows the operator: by its service account's tokens, whose keys it looks up or was given. */
function operatorClaims({ controlPlane, operatorNamespace }: SystemOptions<Cluster>, platformUrl: string): object {
  const subject = `system:serviceaccount:${operatorNamespace ?? defaultOperatorNamespace}:${operatorAccount}`;
  const { issuer, url } = controlPlane;
  if (issuer === undefined) return { claimMatch: { issuer: url, subject } };
  const audiences = [new URL(platformUrl).hostname];
  return { staticKeys: { issuer: issuer.url, subject, issuerKeys: issuer.jwks, audiences } };
}
