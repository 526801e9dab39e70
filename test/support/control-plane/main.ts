import { once } from "node:events";
import { parseArgs } from "node:util";
import { readCommandLine } from "#test/support/command-line.ts";
import { untilAborted } from "#test/support/until-aborted.ts";
import { startControlPlane } from "./control-plane.ts";
import { ControlPlaneUnavailable } from "./unavailable.ts";

const usage = `Usage: npm run control-plane [-- --json]

Starts a Kubernetes API server on this machine and prints how to connect to it. Ctrl-C stops it and removes its data.

  --json   print one line of JSON ({kubeconfig, url, ca, issuer}) for programs, and stop when standard input ends
  --help   print this text
`;

const { json } = readCommandLine({ name: "control-plane", usage }, readOptions);
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
if (json) void once(process.stdin.resume(), "end").then(() => stop.abort());

try {
  const progress = (line: string) => void process.stderr.write(`control-plane: ${line}\n`);
  const controlPlane = await startControlPlane({ signal: stop.signal, progress });
  const { kubeconfigFile, url, caFile } = controlPlane;
  process.stdout.write(
    json
      ? `${JSON.stringify({ kubeconfig: kubeconfigFile, url, ca: caFile, issuer: url })}\n`
      : `Kubernetes listens at ${url}. In another terminal:\n\n  export KUBECONFIG=${kubeconfigFile}\n  kubectl get namespaces\n\nCtrl-C stops it.\n`,
  );
  await untilAborted(stop.signal);
  await controlPlane.stop();
  // A pending read of standard input would keep the process alive.
  process.exit(0);
} catch (error) {
  if (stop.signal.aborted) process.exit(0);
  process.stderr.write(`control-plane: ${error instanceof ControlPlaneUnavailable ? error.message : String(error)}\n`);
  process.exit(1);
}

function readOptions(): { readonly json: boolean } | "help" {
  const { values } = parseArgs({
    options: { json: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  return values.help ? "help" : { json: values.json };
}
