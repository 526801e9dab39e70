import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { buildDeployTools } from "#test/support/deploy-tools/build.ts";

const run = promisify(execFile);

/** The absolute path of `deploy/helm`. */
export const charts = fileURLToPath(new URL("../../deploy/helm", import.meta.url));

/** The values of a release, which Helm reads from a file. */
export type ChartValues = Readonly<Record<string, unknown>>;

/** Helm's data and configuration of the user must not matter: Helm finds none in a folder that does not exist. */
const home = join(charts, "no-home");

/**
 * Runs a command of Helm in `deploy/helm`, with the values, if any, on its standard input.
 * @returns its standard output
 * @throws {Error} whose message contains its standard error
 */
export async function helm(args: readonly string[], values?: ChartValues): Promise<string> {
  const program = await buildDeployTools();
  const given = values === undefined ? [] : ["--values", "-"];
  const command = run(program, ["helm", ...args, ...given], {
    cwd: charts,
    maxBuffer: 2 ** 24,
    env: { ...process.env, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home },
  });
  // JSON is YAML, too.
  command.child.stdin?.end(values === undefined ? "" : JSON.stringify(values));
  return (await command).stdout;
}

/** The release that `renderChart` renders. */
export const release = { name: "muster", namespace: "muster-system" } as const;

/** Renders a chart, by its path relative to `deploy/helm`, without a cluster. @returns its objects, hooks included */
export async function renderChart(
  chart: string,
  values: ChartValues = {},
  { name, namespace }: { readonly name: string; readonly namespace: string } = release,
): Promise<readonly KubeObject[]> {
  const stdout = await helm(["template", name, resolve(charts, chart), "--namespace", namespace], values);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
}
