import type { KubeClient, KubeObject, ObjectRef } from "#test/support/control-plane/kube-client.ts";

/** Fields of a pod or a container, which the API server checks. */
export type Fields = Readonly<Record<string, unknown>>;

/** The namespace of examples/. */
export const namespace = "shop";
/** The service account of the Identity `checkout` of examples/. */
export const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "checkout", namespace } };
/** The label that gives a pod this identity. */
export const labels = { "iam.muster.dev/identity": "checkout" };

/** A program of Node.js that reads the groups with the token, and prints the status and their names. */
const readsGroups = `
const { MUSTER_PLATFORM_URL: url, MUSTER_TOKEN_FILE: file } = process.env;
const token = require("node:fs").readFileSync(file, "utf8").trim();
fetch(url + "/iam/v2beta1/groups", { headers: { authorization: "Bearer " + token } }).then(async (response) => {
  const body = await response.json();
  console.log(response.status, response.ok ? body.groups.map(({ name }) => name).join() : JSON.stringify(body));
  process.exitCode = response.ok ? 0 : 1;
});
`;
/** A container with Node.js that does so, at once or in a script for the shell, which runs the program as `node -e "$READ"`. */
export const reader = (image: string, script = 'node -e "$READ"'): Fields => ({
  image,
  command: ["sh", "-c", script],
  env: [{ name: "READ", value: readsGroups }],
});
/** What that prints for the Identity `checkout` of examples/. */
export const groupsOfCheckout = "200 checkout production";

/** The spec of a pod of the service account `checkout` with a container `app`. */
export const podSpec = (app: Fields, fields: Fields = {}): Fields => ({
  serviceAccountName: account.metadata.name,
  terminationGracePeriodSeconds: 0,
  containers: [{ name: "app", ...app }],
  ...fields,
});

/** A pod of the Identity `checkout` whose container `app` runs once. */
export const labelledPod = (name: string, app: Fields, fields: Fields = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels },
  spec: podSpec(app, { restartPolicy: "Never", ...fields }),
});

/**
 * Creates a pod, and deletes it after its container `app` has ended.
 * @returns what the container printed
 * @throws {Error} if it fails, with what it printed
 */
export async function runToEnd(admin: KubeClient, pod: KubeObject): Promise<string> {
  await admin.create(pod);
  try {
    return await outputOfEnded(admin, pod);
  } finally {
    await admin.delete(pod);
  }
}

/** Waits until the container `app` of a pod has ended. @returns what it printed @throws {Error} if it fails, with that */
export async function outputOfEnded(admin: KubeClient, pod: ObjectRef): Promise<string> {
  const ended = await admin.waitFor(pod, (seen) => exitCode(seen) !== undefined, { timeoutMs: 60_000 });
  const output = await logOf(admin, pod, "app");
  if (exitCode(ended) !== 0) throw new Error(`the pod ${pod.metadata.name} failed: ${output}`);
  return output;
}

/** What a container of a pod has printed. */
export async function logOf(admin: KubeClient, pod: ObjectRef, container: string): Promise<string> {
  const log = await admin.request("GET", `${await admin.pathOf(pod)}/log?container=${container}`);
  // The client parses what is JSON.
  return (typeof log === "string" ? log : JSON.stringify(log)).trim();
}

/** The exit code of the pod's container, once it has ended. The pod ends later, with its agent. */
const exitCode = (pod: KubeObject | undefined): number | undefined =>
  pod?.["status"]?.containerStatuses?.[0]?.state?.terminated?.exitCode;
