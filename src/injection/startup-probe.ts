/** For how long one run of the probe waits for the token. */
const waitSeconds = 10;

/**
 * The probe that holds the containers of a pod back until the agent has a token. Why it waits, instead of failing often:
 *
 * - The kubelet first probes at a whole period after it has prepared the pod, and then once in each period. With a period of
 *   1 s, the shortest that there is, the probe begins within a second of the agent's start. A probe that waits ends with the
 *   token; the next attempt of one that fails would be up to a period later.
 * - An attempt costs some 70 ms of CPU time for Node.js, and about as much for the container runtime to enter the container.
 *   Once in a second, a pod that waits for a platform would use a seventh of a core.
 * - The output of an attempt that failed becomes an event of the pod, the reason why there is no token. A kubelet reports 25
 *   events of a pod, and then one in five minutes: an attempt in each second would use them up, and with them those of the
 *   application's own containers, before the reason can change.
 *
 * A hook (`postStart`) waits for no period, but the event of one that failed is always "PostStartHook failed": the kubelet leaves
 * the output out, since it may be a secret. It then kills the agent and starts it again with a back-off, and probes no container
 * during it. A program that is smaller than Node.js would have to be in every base image, and could not read the reason. A script of the
 * shell would save 0.04 to 0.1 s of the 2.1 s from the pod to its containers, of which a sidecar that only sleeps needs 2.06
 * (`npm run bench -- pod-start`).
 */
export const startupProbe = {
  exec: { command: ["muster", "agent", "--check", "--wait", `${waitSeconds}s`] },
  periodSeconds: 1,
  // The kubelet shows no output of a probe that it ended. Node.js can take seconds to start on a node that is busy.
  timeoutSeconds: waitSeconds + 10,
  // 300 s. Then the kubelet starts the agent again.
  failureThreshold: 300 / waitSeconds,
};
