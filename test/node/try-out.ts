import { type ChartValues, helm } from "#test/deploy/helm.ts";
import type { KubeClient } from "#test/support/control-plane/kube-client.ts";
import { exampleManifests } from "#test/support/harness/examples.ts";
import { isReady } from "#test/support/harness/muster-objects.ts";
import { account, labelledPod, reader, runToEnd } from "./labelled-pod.ts";
import { restrictedContainer, restrictedPod } from "./restricted.ts";

/** A cluster in which Muster is installed. */
export interface Target {
  readonly admin: KubeClient;
  /** The flags of Helm that name the cluster. */
  readonly helmFlags: readonly string[];
  /** The flags of kubectl that name the cluster. */
  readonly kubectlFlags: readonly string[];
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

/** Applies examples/, and returns when all of Muster's objects are Ready. @param timeoutMs from then until they are */
export async function applyExamples({ admin }: Target, { timeoutMs = 60_000 } = {}): Promise<void> {
  const objects = await exampleManifests(root, "");
  for (const object of objects) await admin.apply(object);
  const deadline = performance.now() + timeoutMs;
  for (const object of objects)
    if (object.apiVersion.startsWith("iam.muster.dev/"))
      await admin.waitFor(object, isReady, { timeoutMs: Math.max(deadline - performance.now(), 1) });
}

/** The image of Muster, which also has a shell and Node.js for what a container runs. */
export const imageOf = ({ image }: Pick<Target, "image">): string => image ?? "muster:0.1.0";

/**
 * Runs a pod with the label of the Identity `checkout`, whose container uses its token.
 * @returns what the container printed
 * @throws {Error} if it fails, with what it printed
 */
export async function runLabelledPod(target: Target, name: string): Promise<string> {
  await target.admin.apply(account);
  const container = { ...reader(imageOf(target)), ...restrictedContainer };
  return runToEnd(target.admin, labelledPod(name, container, restrictedPod));
}

/** The values of the chart for an image in a registry: with a tag, or with a digest. */
export function imageValues(image: string | undefined) {
  if (image === undefined) return {};
  const [, repository, tag, digest] = /^(.+?)(?::([\w.-]+))?(?:@(.+))?$/.exec(image) ?? [];
  return { image: { repository, tag, digest } };
}
