import { randomBytes } from "node:crypto";
import { readConnection } from "#src/kube/config.ts";
import { systemClock } from "#src/time/clock.ts";
import { KubeClient, type KubeObject } from "#test/support/control-plane/kube-client.ts";
import { KubeError } from "#test/support/control-plane/kube-connection.ts";
import { kindRef, musterKinds } from "#test/support/harness/muster-objects.ts";
import { customResourceDefinitions } from "#test/support/harness/custom-resource-definitions.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { missingPermissions } from "./required-permissions.ts";
import type { DemoCluster } from "./demo-cluster.ts";
import type { Options } from "./options.ts";
import { clusterScopedRbac } from "./operator-rbac.ts";
import { within } from "#test/support/within.ts";

const reachSeconds = 10;
const removalSeconds = 30;

/**
 * The user's cluster. The demo works in a new namespace. The platform does not connect to the cluster: the demo reads
 * the keys of the cluster's service-account tokens with the user's credentials and passes them to the platform.
 * @throws {Error} that says why the demo cannot use the cluster, and what to do
 */
export async function existingCluster(
  options: NonNullable<Options["cluster"]>,
  signal: AbortSignal,
): Promise<DemoCluster> {
  const connection = await readConnection({ ...options, env: process.env, clock: systemClock });
  const access = { ...connection, url: connection.server.href.replace(/\/$/, "") };
  const admin = new KubeClient({ ...access, token: () => connection.token() });
  try {
    const { version, issuer } = await examine(admin, access.url, signal);
    const missingDefinitions: KubeObject[] = [];
    for (const definition of await customResourceDefinitions())
      if ((await admin.find(definition)) === undefined) missingDefinitions.push(definition);
    const namespace = `muster-demo-${randomBytes(3).toString("hex")}`;
    const flags = [
      ...(options.kubeconfig === undefined ? [] : [`--kubeconfig ${options.kubeconfig}`]),
      ...(options.context === undefined ? [] : [`--context ${options.context}`]),
    ];
    const { url, ca, serverName, insecure } = { serverName: undefined, insecure: undefined, ca: undefined, ...access };
    return {
      cluster: { url, ca, serverName, insecure, issuer, admin },
      title: `Your cluster, Kubernetes ${version}, at ${url}; the demo uses the new namespace ${namespace}`,
      namespace,
      operatorNamespace: namespace,
      prefix: namespace,
      kubeconfigCommands: [],
      kubectl: ["kubectl", ...flags, "-n", namespace].join(" "),
      writesBy: async () => undefined,
      cleanUp: async () => {
        try {
          await within(
            "removing the demo's objects",
            removalSeconds,
            removeObjects(admin, namespace, missingDefinitions),
          );
        } catch (error) {
          throw new Error(
            `the demo's objects could not be removed from your cluster (${(error as Error).message}). Remove them with: kubectl ${[...flags, "delete namespace", namespace].join(" ")}`,
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
  const version = await within("the first response", reachSeconds, admin.request("GET", "/version"), signal).catch(
    (error: Error) => {
      if (signal.aborted) throw signal.reason;
      const what = error instanceof KubeError ? "rejects your credentials" : "does not respond";
      throw new Error(`the cluster at ${url} ${what}: ${error.message}`, { cause: error });
    },
  );
  const missing = await within("checking your permissions", reachSeconds, missingPermissions(admin), signal);
  if (missing.length > 0)
    throw new Error(
      `you are not allowed to ${missing.join(", ")} in the cluster at ${url}: use an administrator's credentials`,
    );
  try {
    const discovery = await within(
      "reading the issuer of service-account tokens",
      reachSeconds,
      admin.request("GET", "/.well-known/openid-configuration"),
      signal,
    );
    const jwks = await within(
      "reading the keys of service-account tokens",
      reachSeconds,
      admin.request("GET", "/openid/v1/jwks"),
      signal,
    );
    return {
      version: version.gitVersion as string,
      issuer: { url: discovery.issuer as string, jwks: JSON.stringify(jwks) },
    };
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(
      `the keys of the cluster's service-account tokens cannot be read: ${(error as Error).message}. ` +
        `The platform needs them to authenticate the operator. Use credentials with the ClusterRole system:service-account-issuer-discovery, or omit --context: then the demo starts a control plane`,
      { cause: error },
    );
  }
}

/** Removes what exists, even if the demo was interrupted in the middle. The operator must not run any more. */
async function removeObjects(admin: KubeClient, namespace: string, definitions: readonly KubeObject[]): Promise<void> {
  for (const kind of musterKinds)
    for (const { metadata } of await objectsOf(admin, kind, namespace)) {
      const ref = { ...kindRef(kind), metadata: { namespace, name: metadata.name } };
      // The platform has ended, so there is nothing that the finalizer could clean up.
      await admin.patch(ref, { metadata: { finalizers: null } }).catch(ignoreNotFound);
    }
  const tenant = tenantRef(namespace);
  await admin.patch(tenant, { metadata: { finalizers: null } }).catch(ignoreNotFound);
  await admin.delete(tenant).catch(ignoreNotFound);
  const demoNamespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await admin.delete(demoNamespace);
  for (const object of clusterScopedRbac(namespace)) await admin.delete(object);
  await admin.waitUntilGone(demoNamespace, { timeoutMs: removalSeconds * 1_000 });
  for (const definition of definitions) {
    const kind = musterKinds.find((candidate) => candidate === definition["spec"].names.kind);
    // Another user may have started to use the CRDs.
    if (kind !== undefined && (await objectsOf(admin, kind)).length > 0) continue;
    await admin.delete(definition);
    await admin.waitUntilGone(definition, { timeoutMs: removalSeconds * 1_000 });
  }
}

async function objectsOf(admin: KubeClient, kind: (typeof musterKinds)[number], namespace?: string) {
  return admin.list(kindRef(kind), namespace === undefined ? {} : { namespace }).catch((error: unknown) => {
    ignoreNotFound(error);
    return [];
  });
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof KubeError && error.code === 404)) throw error;
}
