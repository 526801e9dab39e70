import { styleText } from "node:util";
import { readCommandLine, readFlags } from "#test/support/command-line.ts";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import { ControlPlaneUnavailable } from "#test/support/control-plane/unavailable.ts";
import { System } from "#test/support/harness/system.ts";
import { untilAborted } from "#test/support/until-aborted.ts";

const usage = `Usage: npm run dev

Runs a control plane, the platform and the operator. The platform and the operator restart when a source file changes;
the platform keeps its data and its port. Ctrl-C stops everything.
`;
readCommandLine({ name: "dev", usage }, (args) => readFlags(args, []));

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
const print = (source: string, line: string) =>
  void process.stdout.write(`${styleText("cyan", source.padEnd(8))} ${line}\n`);

try {
  const controlPlane = await startControlPlane({ signal: stop.signal, progress: (line) => print("cluster", line) });
  const system = await System.start({
    controlPlane,
    signal: stop.signal,
    namespaces: ["default", "shop"],
    platformPort: await freePort(),
    outside: true,
    run: (command) => ({ watch: true, onLine: (line) => print(command, line) }),
  });
  // The Lease has the name that the manifests give it, under which muster why and muster doctor look for it.
  await system.startOperator(["--resync", "30s", "--lease-name", "muster-operator"]);
  print(
    "muster",
    `everything runs; the platform and the operator restart when a source file changes. Ctrl-C stops everything.
         export KUBECONFIG=${controlPlane.kubeconfigFile}
         platform: ${system.platformUrl}, root group: ${system.root}, admin token: ${system.adminTokenFile}`,
  );
  await untilAborted(stop.signal);
  await system.stop();
  await controlPlane.stop();
} catch (error) {
  if (!stop.signal.aborted) {
    process.stderr.write(`dev: ${error instanceof ControlPlaneUnavailable ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
process.exit();
