import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ControlPlane } from "#test/support/control-plane/control-plane.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import type { Workload } from "./workload.ts";

/** Where Kubernetes mounts the credentials of a pod's service account. */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";
const secretMode = 0o600;

export interface RunOptions {
  readonly controlPlane: ControlPlane;
  /** Where the mounted folders are created. */
  readonly folder: string;
  /** Variables that differ from those of the pod: addresses. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Takes the place of the kubelet: runs the command of the workload's container with its arguments, environment and files,
 * tokens from TokenRequest included. Only addresses and the paths of folders differ from a cluster.
 */
export async function runWorkload(
  workload: Workload,
  { controlPlane, folder, env = {} }: RunOptions,
): Promise<MusterProcess> {
  const { admin, url, ca } = controlPlane;
  const { namespace, serviceAccount } = workload;
  const own = join(folder, `${workload.object.kind}-${workload.object.metadata.name}`);
  const paths: [inContainer: string, here: string][] = [];
  const localized = (text: string) =>
    paths
      .reduce((result, [inContainer, here]) => result.replaceAll(inContainer, here), text)
      .replaceAll("https://kubernetes.default.svc.cluster.local", url)
      .replaceAll("https://kubernetes.default.svc", url);
  const write = async (path: string, content: string, mode = secretMode) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content, { mode });
  };

  for (const { path, tokens, files, mode } of workload.mounts) {
    const here = join(own, path);
    paths.push([path, here]);
    await mkdir(here, { recursive: true });
    for (const { path: name, audience, expirationSeconds } of tokens)
      await write(
        join(here, name),
        await admin.createToken(namespace, serviceAccount, { audiences: [audience], expirationSeconds }),
      );
    for (const [name, content] of Object.entries(files)) await write(join(here, name), localized(content), mode);
  }
  // The CA certificate of the API server, which Kubernetes puts into a ConfigMap of every namespace.
  await write(join(own, "etc/cluster/ca.crt"), ca);

  const account = join(own, accountFolder);
  if (workload.hasApiToken) {
    await write(join(account, "token"), await admin.createToken(namespace, serviceAccount));
    await write(join(account, "namespace"), namespace);
    await write(join(account, "ca.crt"), ca);
  }
  const { hostname, port } = new URL(url);
  return new MusterProcess(workload.args.map(localized), {
    env: {
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      MUSTER_SERVICE_ACCOUNT_DIRECTORY: account,
      ...Object.fromEntries(Object.entries(workload.environment).map(([name, value]) => [name, localized(value)])),
      ...env,
    },
  });
}
