import { randomBytes } from "node:crypto";
import { KubeConfigError, readConnection } from "#src/kube/config.ts";
import { systemClock } from "#src/time/clock.ts";
import { KubeClient, type KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kindRef, musterKinds } from "#test/support/harness/muster-objects.ts";
import { customResourceDefinitions } from "#test/support/harness/custom-resource-definitions.ts";
import { missingPermissions } from "./required-permissions.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import type { Options } from "./options.ts";
import { clusterScopedRbac } from "./operator-rbac.ts";
import { within } from "#test/support/within.ts";

const reachSeconds = 10;
const clearSeconds = 30;

/** The person's cluster is not fit for the demo; the message says why and what to do. */
export class UnsuitableCluster extends Error {
  override readonly name = "ClusterUnfit";
}

/**
 * The person's own cluster. The demo works in a namespace with a new name. The platform need not reach the cluster, and
 * nothing is opened for it: it is told the keys of the cluster's tokens, which are read here with the person's rights.
 * @throws {UnsuitableCluster}
 */
export async function existingCluster(
  options: NonNullable<Options["cluster"]>,
  signal: AbortSignal,
): Promise<DemoCluster> {
  const connection = await readConnection({ ...options, env: process.env, clock: systemClock }).catch(
    (error: unknown) => {
      throw error instanceof KubeConfigError ? new UnsuitableCluster(error.message, { cause: error }) : error;
    },
  );
  const access = { ...connection, url: connection.server.href.replace(/\/$/, "") };
  const admin = new KubeClient({ ...access, token: () => connection.token() });
  try {
    const { version, issuer } = await examine(admin, access.url, signal);
    const missing: KubeObject[] = [];
    for (const definition of await customResourceDefinitions())
      if ((await admin.find(definition)) === undefined) missing.push(definition);
    const namespace = `muster-demo-${randomBytes(3).toString("hex")}`;
    const flags = [
      ...(options.kubeconfig === undefined ? [] : [`--kubeconfig ${options.kubeconfig}`]),
      ...(options.context === undefined ? [] : [`--context ${options.context}`]),
    ];
    const { url, ca, serverName, insecure } = { serverName: undefined, insecure: undefined, ca: undefined, ...access };
    return {
      cluster: { url, ca, serverName, insecure, issuer, admin },
      title: `your cluster, Kubernetes ${version}, at ${url}; the demo keeps to the namespace ${namespace}`,
      namespace,
      operatorNamespace: namespace,
      prefix: namespace,
      kubeconfigCommands: [],
      kubectl: ["kubectl", ...flags, "-n", namespace].join(" "),
      writesBy: async () => undefined,
      cleanUp: async () => {
        try {
          await within(`removing what is left in your cluster`, clearSeconds, clear(admin, namespace, missing));
        } catch (error) {
          throw new Error(
            `Something is left in your cluster (${(error as Error).message}). Remove it with: kubectl ${[...flags, "delete namespace", namespace].join(" ")}`,
            { cause: error },
          );
        } finally {
          await admin.close();
        }
      },
    };
  } catch (error) {
    await admin.close();
    throw error;
  }
}

async function examine(admin: KubeClient, url: string, signal: AbortSignal) {
  const version = await within("the first answer", reachSeconds, admin.request("GET", "/version"), signal).catch(
    (error: Error) => {
      if (signal.aborted) throw signal.reason;
      const what = error instanceof KubeError ? "refuses you" : "does not answer";
      throw new UnsuitableCluster(`the cluster at ${url} ${what}: ${error.message}`, { cause: error });
    },
  );
  const missing = await within("asking for your rights", reachSeconds, missingPermissions(admin), signal);
  if (missing.length > 0)
    throw new UnsuitableCluster(
      `in the cluster at ${url} you may not ${missing.join(", ")}: the demo needs an administrator's rights there`,
    );
  try {
    const discovery = await within(
      "the issuer's address",
      reachSeconds,
      admin.request("GET", "/.well-known/openid-configuration"),
      signal,
    );
    const jwks = await within("the issuer's keys", reachSeconds, admin.request("GET", "/openid/v1/jwks"), signal);
    return {
      version: version.gitVersion as string,
      issuer: { url: discovery.issuer as string, jwks: JSON.stringify(jwks) },
    };
  } catch (error) {
    signal.throwIfAborted();
    throw new UnsuitableCluster(
      `the platform cannot be told the keys of this cluster's service-account tokens, so it could not know the operator: ${(error as Error).message}. ` +
        `Use a user who may read /.well-known/openid-configuration and /openid/v1/jwks (the ClusterRole system:service-account-issuer-discovery), or leave out --context and let the demo start a control plane`,
      { cause: error },
    );
  }
}

/** Works whatever is there, so also when the demo was interrupted in the middle. The operator no longer runs. */
async function clear(admin: KubeClient, namespace: string, definitions: readonly KubeObject[]): Promise<void> {
  for (const kind of musterKinds)
    for (const { metadata } of await objectsOf(admin, kind, namespace)) {
      const ref = { ...kindRef(kind), metadata: { namespace, name: metadata.name } };
      // What the finalizer guards was on a platform that is gone.
      await admin.patch(ref, { metadata: { finalizers: null } }).catch(unlessNotFound);
    }
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await admin.delete(own);
  for (const object of clusterScopedRbac(namespace)) await admin.delete(object);
  await admin.waitUntilGone(own, { timeoutMs: clearSeconds * 1_000 });
  for (const definition of definitions) {
    const kind = musterKinds.find((one) => one === definition["spec"].names.kind);
    // Somebody may have begun to use what we brought.
    if (kind !== undefined && (await objectsOf(admin, kind)).length > 0) continue;
    await admin.delete(definition);
    await admin.waitUntilGone(definition, { timeoutMs: clearSeconds * 1_000 });
  }
}

async function objectsOf(admin: KubeClient, kind: (typeof musterKinds)[number], namespace?: string) {
  return admin.list(kindRef(kind), namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
    unlessNotFound(error);
    return [];
  });
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof KubeError && error.code === 404)) throw error;
}
