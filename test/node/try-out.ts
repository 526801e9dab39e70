import { type ChartValues, helm } from "#test/deploy/helm.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { exampleManifests } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";

/** A cluster in which Muster is installed. */
export interface Target {
  readonly admin: KubeClient;
  /** The flags of Helm that name the cluster. */
  readonly helmFlags: readonly string[];
  /** The image of Muster in a registry; by default the nodes have the image that the charts name. */
  readonly image?: string | undefined;
}

/** The release and the root group of the chart `muster-try-out`. */
const release = "muster";
export const operatorNamespace = "muster-system";
export const root = "0".repeat(40);

/**
 * Installs the chart `muster-try-out` of the working tree with one command, and returns when Helm says that all is ready.
 * @param values of the chart `muster`
 */
export async function installTryOut({ helmFlags, image }: Target, values: ChartValues = {}): Promise<void> {
  const flags = ["--namespace", operatorNamespace, "--create-namespace", "--wait", "--timeout", "3m", ...helmFlags];
  await helm(["install", release, "muster-try-out", ...flags], { muster: { ...imageValues(image), ...values } });
}

/** Applies examples/, and returns when all of Muster's objects are Ready. */
export async function applyExamples({ admin }: Target): Promise<void> {
  const objects = await exampleManifests(root, "");
  for (const object of objects) await admin.apply(object);
  for (const object of objects)
    if (object.apiVersion.startsWith("iam.muster.dev/")) await admin.waitFor(object, isReady, { timeoutMs: 60_000 });
}

const shop = "shop";
/** The service account of the Identity `checkout` in examples/. */
export const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "checkout", namespace: shop } };

/** Reads the groups with the token, and prints their names. */
const program = `
const { MUSTER_PLATFORM_URL: url, MUSTER_TOKEN_FILE: file } = process.env;
const token = require("node:fs").readFileSync(file, "utf8").trim();
fetch(url + "/iam/v2beta1/groups", { headers: { authorization: "Bearer " + token } }).then(async (response) => {
  const body = await response.json();
  console.log(response.status, response.ok ? body.groups.map(({ name }) => name).join() : JSON.stringify(body));
  process.exitCode = response.ok ? 0 : 1;
});
`;

/**
 * Creates a pod with the label of the Identity `checkout`, whose container uses its token, and waits until the container has ended.
 * @returns what the container printed
 * @throws {Error} if it fails, with what it printed
 */
export async function runLabelledPod({ admin, image }: Target, name: string): Promise<string> {
  await admin.apply(account);
  const pod = labelledPod(name, image ?? "muster:0.1.0");
  await admin.create(pod);
  const ended = await admin.waitFor(pod, (seen) => exitCode(seen) !== undefined, { timeoutMs: 60_000 });
  const path = await admin.pathOf(pod);
  const output = await admin.request("GET", `${path}/log?container=app`);
  if (exitCode(ended) !== 0) throw new Error(`the pod ${name} failed: ${String(output)}`);
  await admin.delete(pod);
  return String(output).trim();
}

const labelledPod = (name: string, image: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: shop, labels: { "iam.muster.dev/identity": "checkout" } },
  spec: {
    restartPolicy: "Never",
    serviceAccountName: account.metadata.name,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "app", image, command: ["node", "-e", program] }],
  },
});

/** The exit code of the pod's container, once it has ended. The pod ends later, with its agent. */
const exitCode = (pod: KubeObject | undefined): number | undefined =>
  pod?.["status"]?.containerStatuses?.[0]?.state?.terminated?.exitCode;

/** The values of the chart for an image in a registry: with a tag, or with a digest. */
function imageValues(image: string | undefined) {
  if (image === undefined) return {};
  const [, repository, tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(.+))?$/.exec(image) ?? [];
  return { image: { repository, tag, digest } };
}
