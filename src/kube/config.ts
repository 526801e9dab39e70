import { readFile } from "node:fs/promises";
import type { Clock } from "#src/time/clock.ts";

/** Where the API server is, and who we are to it. */
export interface KubeConnection {
  readonly server: URL;
  /** Authorities that are trusted instead of the system's own: PEM. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Checked against the server's certificate instead of the host in `server`. */
  readonly serverName?: string;
  /** Only where a kubeconfig says `insecure-skip-tls-verify`. */
  readonly insecure?: true;
  /** The namespace of this pod, or of the kubeconfig's context. */
  readonly namespace?: string;
  /** The bearer token to send with the next request; undefined where there is none. Never to be kept or shown. */
  readonly token: () => Promise<string | undefined>;
}

export interface ConnectionSettings {
  /** A kubeconfig file. Absent together with `context`: the files that every pod has. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig (without `kubeconfig`: of the person's own); default is its current one. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Where a pod's service account is mounted; default: where Kubernetes does it by itself. */
  readonly serviceAccountDirectory?: string;
}

/** The way to Kubernetes cannot be found. The message names the setting and the mend. */
export class KubeConfigError extends Error {
  override readonly name = "KubeConfigError";
}

/** Where Kubernetes mounts a pod's service account by itself. */
export const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** A projected token is replaced long before it expires, so a file read a minute ago is recent enough. */
const fileReuseMs = 60_000;
/** A kubeconfig's plugins know when their tokens expire, so they are asked often; but not for each request. */
const pluginReuseMs = 10_000;

/** @throws {KubeConfigError} */
export async function readConnection(settings: ConnectionSettings): Promise<KubeConnection> {
  if (settings.kubeconfig !== undefined || settings.context !== undefined) return fromKubeconfig(settings);
  return fromPod(settings);
}

/** Three files and two variables say all, so that no library has to be loaded in a cluster. */
async function fromPod({ env, clock, ...settings }: ConnectionSettings): Promise<KubeConnection> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT ?? "443";
  if (host === undefined || host === "")
    throw new KubeConfigError(
      "this is not a pod (KUBERNETES_SERVICE_HOST is not set): say which cluster with --kubeconfig FILE or --context NAME",
    );
  const directory = settings.serviceAccountDirectory ?? serviceAccountDirectory;
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(`${directory}/${file}`, "utf8");
    } catch (error) {
      throw new KubeConfigError(
        `${directory}/${file} cannot be read: does the pod mount its service account (automountServiceAccountToken)?`,
        { cause: error },
      );
    }
  };
  const [ca, namespace] = await Promise.all([read("ca.crt"), read("namespace")]);
  const token = reused(clock, fileReuseMs, async () => (await read("token")).trim());
  await token();
  return {
    server: new URL(`https://${host.includes(":") ? `[${host}]` : host}:${port}`),
    ca,
    namespace: namespace.trim(),
    token,
  };
}

/** Calls `read` at most once in `reuseMs`; while it fails, what was read before is used on. */
function reused<V>(clock: Clock, reuseMs: number, read: () => Promise<V>): () => Promise<V> {
  let held: { readonly value: V; readonly at: number } | undefined;
  return async () => {
    const now = clock.monotonic();
    if (held !== undefined && now - held.at < reuseMs) return held.value;
    try {
      held = { value: await read(), at: now };
    } catch (error) {
      if (held === undefined) throw error;
      held = { value: held.value, at: now };
    }
    return held.value;
  };
}

/** Kubeconfigs have many ways to hold credentials; the library that knows them all is loaded only here. */
async function fromKubeconfig({ kubeconfig, context, clock }: ConnectionSettings): Promise<KubeConnection> {
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const file = kubeconfig ?? "the default kubeconfig";
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new KubeConfigError(`--kubeconfig: ${file} cannot be read: ${why}`, { cause: error });
  }
  if (context !== undefined) config.setCurrentContext(context);
  const chosen = config.getContextObject(config.getCurrentContext());
  if (chosen === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new KubeConfigError(
      `--context: ${file} has no context "${config.getCurrentContext()}"; it has ${known.length === 0 ? "none" : known.join(", ")}`,
    );
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new KubeConfigError(
      `--kubeconfig: the context "${chosen.name}" of ${file} names a cluster that is not there`,
    );
  const authorization = reused(clock, pluginReuseMs, async () => {
    const options: HttpsOptions = { headers: {} };
    await config.applyToHTTPSOptions(options);
    return options;
  });
  const { ca, cert, key, servername, rejectUnauthorized } = await authorization();
  return {
    server: new URL(cluster.server),
    ...(ca === undefined ? {} : { ca: ca.toString() }),
    ...(cert === undefined ? {} : { cert: cert.toString() }),
    ...(key === undefined ? {} : { key: key.toString() }),
    ...(servername === undefined ? {} : { serverName: servername }),
    ...(rejectUnauthorized === false ? { insecure: true as const } : {}),
    ...(chosen.namespace === undefined ? {} : { namespace: chosen.namespace }),
    token: async () => /^Bearer (.+)$/.exec((await authorization()).headers.Authorization ?? "")?.[1],
  };
}

/** What `applyToHTTPSOptions` fills in, of all that it could. */
interface HttpsOptions {
  headers: Record<string, string>;
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}
