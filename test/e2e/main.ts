import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { prepareCluster } from "#test/node/cluster.ts";
import { readCommandLine } from "#test/support/command-line.ts";
import { report } from "./report.ts";
import { contextVariable, imageVariable } from "./target.ts";

const usage = `Usage: npm run e2e [-- --context NAME [--image REF]]

Installs Muster in a cluster of Kubernetes as its users do, and tests it there. Without a context, it starts a cluster with one node
on this machine (see npm run cluster), which needs root.

  --context NAME   the context of your kubeconfig; the cluster must have no installation of Muster, and gets one
  --image REF      an image of Muster that this cluster can pull, such as registry.example.com/muster:0.1.0;
                   by default it must have the image muster:0.1.0 already
  --help           print this text
`;

const { context = "", image = "" } = readCommandLine({ name: "e2e", usage }, (args) => {
  const options = { context: { type: "string" }, image: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.image !== undefined && values.context === undefined)
    throw new Error(
      "--image: name a cluster with --context; the node of this machine has the image of the working tree",
    );
  return values;
});

if (context === "") await prepare();
const { status } = spawnSync("npx", ["vitest", "run", "--project", "e2e"], {
  cwd: fileURLToPath(new URL("../..", import.meta.url)),
  stdio: "inherit",
  env: { ...process.env, [contextVariable]: context, [imageVariable]: image },
});
process.exit(status ?? 1);

/** The tests are skipped where they would have to build for minutes. */
async function prepare(): Promise<void> {
  try {
    await prepareCluster({ progress: report });
  } catch (error) {
    process.stderr.write(`e2e: ${(error as Error).message}\n`);
    process.exit(1);
  }
}
