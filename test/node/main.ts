import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { buildDeployTools } from "#test/support/deploy-tools/build.ts";
import { ControlPlaneUnavailable } from "#test/support/control-plane/unavailable.ts";
import { untilAborted } from "#test/support/until-aborted.ts";
import { startCluster } from "./cluster.ts";
import { enforceNetworkPolicies } from "./network-policies.ts";
import { NodeUnavailable } from "./requirements.ts";
import { applyExamples, installTryOut, runLabelledPod } from "./try-out.ts";

const usage = `Usage: npm run cluster [-- --network-policies] [--try-out] [--keep]

Starts a cluster of Kubernetes with one node on this machine, in namespaces of its own: a control plane, kubelet, containerd, DNS and
kube-proxy, with Muster's image of the working tree. It needs root, some packages of Debian, and Go. The first time, it builds what it
needs, which takes several minutes. Nothing of it is left when the command ends.

  --network-policies   enforce network policies, for which it also needs Debian's ipset
  --try-out            install the chart muster-try-out and the examples, and run a pod that uses its token
  --keep               print how to connect to the cluster, and run until Ctrl-C
  --help               print this text
`;

const started = performance.now();
const progress = (line: string) => {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`cluster: ${seconds.padStart(6)} s  ${line}\n`);
};

const flags = readCommandLine({ name: "cluster", usage }, (args) =>
  readFlags(args, ["--network-policies", "--try-out", "--keep"]),
);
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupted.abort());

try {
  const cluster = await startCluster({ progress, signal: interrupted.signal });
  try {
    if (flags.has("--network-policies")) {
      await enforceNetworkPolicies(cluster, { progress, signal: interrupted.signal });
      progress("network policies are enforced");
    }
    if (flags.has("--try-out")) {
      await buildDeployTools(progress);
      progress("installing the chart muster-try-out");
      await installTryOut(cluster);
      progress("Helm reports that all pods are Ready; applying the examples");
      await applyExamples(cluster);
      progress("the examples are Ready; creating a pod with the label of an identity");
      progress(`the pod has read with its token: ${await runLabelledPod(cluster, "try-out")}`);
    }
    if (flags.has("--keep")) {
      process.stdout.write(
        `The cluster is ready. In another terminal:\n\n  export KUBECONFIG=${cluster.kubeconfig}\n  kubectl get nodes\n\nCtrl-C ends it.\n`,
      );
      await untilAborted(interrupted.signal);
    }
  } finally {
    await cluster.stop();
  }
  process.exit(0);
} catch (error) {
  if (interrupted.signal.aborted) process.exit(0);
  const expected = error instanceof NodeUnavailable || error instanceof ControlPlaneUnavailable;
  process.stderr.write(`cluster: ${expected ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
