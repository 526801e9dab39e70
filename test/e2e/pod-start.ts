import { labelledPod, runToEnd } from "#test/node/labelled-pod.ts";
import { imageOf, type Target } from "#test/node/try-out.ts";

/** The times of a labelled pod, in milliseconds. */
export interface PodStart {
  /** From the token file to the container's first instruction, by the clock of the node. */
  readonly afterToken: number;
  /** From the creation of the pod to the token file; only if the node has the clock of this machine. */
  readonly beforeToken: number;
}

/** The container prints when it started, and when the token file was written. The status of a pod has only whole seconds. */
const printTimes = ["sh", "-c", 'date +%s.%N; stat --format %.9Y "$MUSTER_TOKEN_FILE"'];

/** Runs a labelled pod, and returns its times. */
export async function measurePodStart(target: Target, name: string): Promise<PodStart> {
  const pod = labelledPod(name, { image: imageOf(target), command: printTimes });
  const created = Date.now();
  const [started = Number.NaN, written = Number.NaN] = (await runToEnd(target.admin, pod))
    .split("\n")
    .map((seconds) => Number(seconds) * 1_000);
  return { afterToken: started - written, beforeToken: written - created };
}
