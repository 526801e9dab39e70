import { tokenDirectory, tokenFile } from "#src/injection/names.ts";
import { startupProbe } from "#src/injection/startup-probe.ts";
import { type Fields, labelledPod, runToEnd } from "#test/node/labelled-pod.ts";
import { imageOf, type Target } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** The times of a pod, in milliseconds. */
export interface PodStart {
  /** From the token file to the container's first instruction, by the clock of the node. */
  readonly afterToken: number;
  /** From the creation of the pod to the token file; only if the node has the clock of this machine. */
  readonly beforeToken: number;
}

/** A pod whose start is measured: a labelled one, or what it would be with another agent. */
export interface PodVariant {
  readonly name: string;
  /** Returns what differs in the container of the agent. */
  readonly changes?: Fields;
}

const file = `${tokenDirectory}/${tokenFile}`;
const probedBy = (...command: readonly string[]): Fields => ({ startupProbe: { ...startupProbe, exec: { command } } });

/** The labelled pod, and what shows which part of its time is the agent's, its probe's, and the kubelet's. */
export const podVariants: readonly PodVariant[] = [
  { name: "labelled pod" },
  {
    name: "with a probe of the shell",
    changes: probedBy("sh", "-c", `for i in $(seq 200); do [ -s ${file} ] && exit; sleep 0.05; done; exit 1`),
  },
  {
    name: "with a sidecar that sleeps, and the probe `true`",
    changes: { ...probedBy("true"), command: ["sh", "-c", `date >${file}; exec sleep infinity`], args: [] },
  },
];

/** The container prints when it started, and when the token file was written. The status of a pod has only whole seconds. */
const printTimes = ["sh", "-c", 'date +%s.%N; stat --format %.9Y "$MUSTER_TOKEN_FILE"'];

/** Runs such a pod, and returns its times. */
export async function measurePodStart(target: Target, { changes }: PodVariant, name: string): Promise<PodStart> {
  const labelled = labelledPod(name, { image: imageOf(target), command: printTimes });
  const pod = changes === undefined ? labelled : await injected(target, labelled, changes);
  const created = Date.now();
  const [started = Number.NaN, written = Number.NaN] = (await runToEnd(target.admin, pod))
    .split("\n")
    .map((seconds) => Number(seconds) * 1_000);
  return { afterToken: started - written, beforeToken: written - created };
}

/** The pod that the policies make of a labelled one, with changes of its agent. It has no label, so that they do not undo them. */
async function injected({ admin }: Target, labelled: KubeObject, changes: Fields): Promise<KubeObject> {
  const { spec } = (await admin.create(labelled, { dryRun: true })) as KubeObject & { readonly spec: InjectedSpec };
  const [agent, ...others] = spec.initContainers;
  const { name, namespace } = labelled.metadata;
  return {
    ...labelled,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: { ...spec, initContainers: [{ ...agent, ...changes }, ...others] },
  };
}

interface InjectedSpec extends Fields {
  readonly initContainers: readonly Fields[];
}
