import { readText } from "#src/files/read-text.ts";
import { Proxies } from "#src/http/proxies.ts";
import type { Clock, MonotonicTime } from "#src/time/clock.ts";
import { minutes, seconds } from "#src/time/durations.ts";

/** The address of the API server, and our credentials for it. */
export interface KubeConnection {
  readonly server: URL;
  /** Certificate authorities to trust instead of the system's, as PEM. */
  readonly ca?: string;
  /** The client certificate and its private key, as PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** The name that the server's certificate must have, if it is not the host in `server`. */
  readonly serverName?: string;
  /** Do not verify the server's certificate; only if the kubeconfig sets `insecure-skip-tls-verify`. */
  readonly insecure?: true;
  /** Absent: the API server is called directly. */
  readonly proxies?: Proxies;
  /** The namespace of this pod, or of the kubeconfig's context. */
  readonly namespace?: string;
  /** Returns the bearer token for the next request; undefined if none is used. Never store or log it. */
  readonly token: () => Promise<string | undefined>;
  /** Makes the next call of `token` read it again: the API server has rejected the last one. Absent where it stays the same. */
  readonly rejectToken?: () => void;
}

export interface ConnectionSettings {
  /** The path of a kubeconfig. If both `kubeconfig` and `context` are absent, the pod's service account is used. */
  readonly kubeconfig?: string;
  /** Use the user's kubeconfig if no other is given: the caller is a person's command, which rarely runs in a pod. */
  readonly userKubeconfig?: true;
  /** A context of the kubeconfig, or of the user's default kubeconfig; default: its current context. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The directory in which the pod's service account is mounted; default: `serviceAccountDirectory`. */
  readonly serviceAccountDirectory?: string;
}

/** The connection settings are missing or invalid. The message names the setting and says how to fix it. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

/** The directory in which Kubernetes mounts the service account of a pod by default. */
export const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How long a token file is used without reading it again. The kubelet replaces it long before the token expires. */
const fileReuseMs = minutes(1);
/** How long a plugin's credentials are used without running it again. It knows when they expire; we do not. */
const pluginReuseMs = seconds(10);
/** Credentials that have not been read within this time are not waited for. */
const readDeadlineMs = seconds(10);

/** Reads the connection from a kubeconfig or from the pod's service account. @throws {KubeConfigError} */
export async function readConnection(settings: ConnectionSettings): Promise<KubeConnection> {
  if (settings.kubeconfig !== undefined || settings.context !== undefined || settings.userKubeconfig)
    return fromKubeconfig(settings);
  return fromPod(settings);
}

/**
 * In a pod, the API server is called directly, whatever HTTPS_PROXY says: its address is one of the cluster, which a proxy
 * outside of it does not reach. (Go's programs need it in NO_PROXY.) This needs three files and two environment variables only, so that the
 * operator loads no library for it in a cluster.
 */
async function fromPod({ env, clock, ...settings }: ConnectionSettings): Promise<KubeConnection> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT ?? "443";
  if (host === undefined || host === "")
    throw new KubeConfigError(
      "not running in a pod (KUBERNETES_SERVICE_HOST is not set); select a cluster with --kubeconfig FILE or --context NAME",
    );
  const directory = settings.serviceAccountDirectory ?? serviceAccountDirectory;
  const read = async (file: string): Promise<string> => {
    try {
      return await readText(`${directory}/${file}`);
    } catch (error) {
      throw new KubeConfigError(
        `cannot read ${directory}/${file}; check that the pod mounts its service account (automountServiceAccountToken)`,
        { cause: error },
      );
    }
  };
  const [ca, namespace] = await Promise.all([read("ca.crt"), read("namespace")]);
  const token = new Cached(clock, fileReuseMs, async () => (await read("token")).trim());
  await token.get();
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    ca,
    namespace: namespace.trim(),
    token: () => token.get(),
    rejectToken: () => token.expire(),
  };
}

/**
 * Calls `read` at most once in `reuseMs`, and once at a time. If it fails later, or hangs, the last value is used for another
 * `reuseMs`: every call to the API server waits for it.
 */
class Cached<V> {
  readonly #clock: Clock;
  readonly #reuseMs: number;
  readonly #read: () => Promise<V>;
  #last: { readonly value: V; readonly until: MonotonicTime } | undefined;
  #reading: Promise<V> | undefined;

  constructor(clock: Clock, reuseMs: number, read: () => Promise<V>) {
    this.#clock = clock;
    this.#reuseMs = reuseMs;
    this.#read = read;
  }

  async get(): Promise<V> {
    if (this.#last !== undefined && this.#clock.monotonic() < this.#last.until) return this.#last.value;
    this.#reading ??= this.#readNext().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Makes the next call of `get` read the value again, before the time is over. */
  expire(): void {
    if (this.#last !== undefined) this.#last = { value: this.#last.value, until: Number.NEGATIVE_INFINITY };
  }

  async #readNext(): Promise<V> {
    const value = await within(this.#clock, readDeadlineMs, this.#read()).catch((error: unknown) => {
      if (this.#last === undefined) throw error;
      return this.#last.value;
    });
    this.#last = { value, until: this.#clock.monotonic() + this.#reuseMs };
    return value;
  }
}

async function within<V>(clock: Clock, deadlineMs: number, promise: Promise<V>): Promise<V> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.setTimer(() => reject(new Error(`no credentials within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}

/**
 * A kubeconfig can contain many kinds of credentials. The library that knows them all is loaded only here. The proxy is that
 * of the kubeconfig, or of the environment, as in kubectl.
 */
async function fromKubeconfig({ kubeconfig, context, clock, env }: ConnectionSettings): Promise<KubeConnection> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const source = kubeconfig ?? "the default kubeconfig";
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new KubeConfigError(`--kubeconfig: cannot read ${source}: ${cause}`, { cause: error });
  }
  if (context !== undefined) config.setCurrentContext(context);
  const selected = config.getContextObject(config.getCurrentContext());
  if (selected === null) {
    const names = config.getContexts().map(({ name }) => name);
    // Such as an empty file.
    if (names.length === 0) throw new KubeConfigError(`--kubeconfig: ${source} has no contexts; give another file`);
    const missing = config.getCurrentContext() ? `context "${config.getCurrentContext()}"` : "current context";
    throw new KubeConfigError(`--context: ${source} has no ${missing}; select one of: ${names.join(", ")}`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(
      `--kubeconfig: ${source} has no cluster "${selected.cluster}", which its context "${selected.name}" names`,
    );
  const { proxyUrl } = cluster;
  const proxies = await (proxyUrl ? Proxies.forEveryTarget(proxyUrl) : Proxies.fromEnvironment(env));
  if (proxyUrl && proxies === undefined)
    throw new KubeConfigError(
      `--kubeconfig: in ${source}, proxy-url of the cluster "${cluster.name}" is not the URL of an HTTP proxy, such as http://proxy.example.com:3128`,
    );
  // The library's guess, when it has found no kubeconfig.
  if (kubeconfig === undefined && cluster.server === "http://localhost:8080")
    throw new KubeConfigError(
      "there is no kubeconfig: KUBECONFIG is not set, and ~/.kube/config does not exist. Give one with --kubeconfig FILE",
    );
  const credentials = new Cached(clock, pluginReuseMs, async () => {
    const options: HttpsOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    return options;
  });
  const { ca, cert, key, servername, rejectUnauthorized } = await credentials.get();
  return {
    server: new URL(cluster.server),
    ...(ca === undefined ? {} : { ca: ca.toString() }),
    ...(cert === undefined ? {} : { cert: cert.toString() }),
    ...(key === undefined ? {} : { key: key.toString() }),
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(rejectUnauthorized === false ? { insecure: true as const } : {}),
    ...(proxies === undefined ? {} : { proxies }),
    ...(selected.namespace === undefined ? {} : { namespace: selected.namespace }),
    token: async () => /^Bearer (.+)$/.exec((await credentials.get()).headers.Authorization ?? "")?.[1],
  };
}

/** The fields of `applyToHTTPSOptions` that are used. */
interface HttpsOptions {
  headers: Record<string, string>;
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}
