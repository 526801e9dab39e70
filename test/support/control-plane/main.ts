import { once } from "node:events";
import { parseArgs } from "node:util";
import { startControlPlane } from "./control-plane.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

const usage = `Usage: npm run control-plane [-- --json]

Starts a Kubernetes API of its own on this machine and prints how to reach it. Ctrl-C ends it and removes its data.

  --json   print one line of JSON ({kubeconfig, url, ca, issuer}), for programs; ends when standard input does
`;

let json: boolean;
try {
  const { values } = parseArgs({ options: { json: { type: "boolean", default: false }, help: { type: "boolean" } } });
  if (values.help) {
    process.stdout.write(usage);
    process.exit(0);
  }
  json = values.json;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}`);
  process.exit(2);
}

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
if (json) void once(process.stdin.resume(), "end").then(() => stop.abort());
const stopped = once(stop.signal, "abort");

try {
  const progress = (line: string) => void process.stderr.write(`control plane: ${line}\n`);
  const controlPlane = await startControlPlane({ signal: stop.signal, progress });
  const { kubeconfigFile, url, caFile } = controlPlane;
  process.stdout.write(
    json
      ? `${JSON.stringify({ kubeconfig: kubeconfigFile, url, ca: caFile, issuer: url })}\n`
      : `Kubernetes answers at ${url}. In another terminal:\n\n  export KUBECONFIG=${kubeconfigFile}\n  kubectl get namespaces\n\nCtrl-C ends it.\n`,
  );
  // A signal handler keeps no event loop alive by itself.
  const keepAlive = setInterval(() => {}, 1 << 30);
  await stopped;
  clearInterval(keepAlive);
  await controlPlane.stop();
  // A read of standard input that is still pending would keep the process.
  process.exit(0);
} catch (error) {
  if (!stop.signal.aborted) {
    process.stderr.write(
      `control plane: ${error instanceof ControlPlaneUnavailable ? error.message : String(error)}\n`,
    );
    process.exit(1);
  }
  process.exit(0);
}
