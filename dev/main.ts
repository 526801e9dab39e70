import { once } from "node:events";
import { styleText } from "node:util";
import { startControlPlane } from "#test/support/control-plane/control-plane.ts";
import { freePort } from "#test/support/control-plane/free-port.ts";
import { ControlPlaneUnavailable } from "#test/support/control-plane/unavailable.ts";
import { System } from "#test/support/harness/system.ts";

/**
 * A control plane, the platform and the operator; the latter two start anew whenever a source file changes. The
 * platform keeps its data and its port meanwhile, as the cluster does.
 */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
const stopped = once(stop.signal, "abort");
const say = (who: string, line: string) => void process.stdout.write(`${styleText("cyan", who.padEnd(8))} ${line}\n`);

try {
  const controlPlane = await startControlPlane({ signal: stop.signal, progress: (line) => say("cluster", line) });
  const system = await System.start({
    controlPlane,
    signal: stop.signal,
    namespaces: ["default", "shop"],
    platformPort: await freePort(),
    outside: true,
    run: (command) => ({ watch: true, onLine: (line) => say(command, line) }),
  });
  await system.startOperator(["--resync", "30s"]);
  say(
    "muster",
    `everything is up; a change of a source file restarts platform and operator. Ctrl-C ends it.
         export KUBECONFIG=${controlPlane.kubeconfigFile}
         platform: ${system.platformUrl}, root group: ${system.root}, admin token: ${system.adminTokenFile}`,
  );
  // A signal handler keeps no event loop alive by itself.
  const keepAlive = setInterval(() => {}, 1 << 30);
  await stopped;
  clearInterval(keepAlive);
  await system.stop();
  await controlPlane.stop();
} catch (error) {
  if (!stop.signal.aborted) {
    process.stderr.write(`dev: ${error instanceof ControlPlaneUnavailable ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
process.exit();
