import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import type { Cluster } from "#test/node/cluster.ts";
import { ServerProcess } from "#test/support/control-plane/server-process.ts";
import { buildGoProgram } from "#test/support/go-program/build.ts";
import type { BuildOptions } from "#test/support/go-program/compile.ts";

const module = "github.com/prometheus/prometheus";

interface Settings {
  /** Its `scrape_configs`. */
  readonly jobs: readonly object[];
  /** Rule files, as text. */
  readonly rules?: readonly string[];
  /** Of its API, and by default 9090. */
  readonly port?: number;
  /** The interval of scrapes and of rules, as a duration of Prometheus. */
  readonly interval: string;
}

/** A series of a result, or an alert. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface ActiveAlert {
  readonly name: string;
  readonly state: "pending" | "firing";
  readonly labels: Readonly<Record<string, string>>;
}

/** A server of Prometheus on the node of a cluster, where it reaches the pods. It ends with the cluster. */
export class Prometheus {
  readonly #url: string;
  readonly #server: ServerProcess;

  private constructor(url: string, server: ServerProcess) {
    this.#url = url;
    this.#server = server;
  }

  /** Builds the server if it is not in the cache, without the discovery of anything but Kubernetes, and starts it. */
  static async start({ isolation }: Cluster, settings: Settings, options: BuildOptions = {}): Promise<Prometheus> {
    const program = await buildGoProgram(
      {
        name: "prometheus",
        folder: fileURLToPath(new URL("../node/programs/prometheus", import.meta.url)),
        package: `${module}/cmd/prometheus`,
        tags: ["remove_all_sd", "enable_kubernetes_sd"],
        title: "Prometheus",
        module,
      },
      options,
    );
    const { jobs, rules = [], port = 9090, interval } = settings;
    const folder = join(isolation.folder, `prometheus-${port}`);
    await mkdir(folder);
    const file = (name: string) => join(folder, name);
    for (const [index, text] of rules.entries()) await writeFile(file(`rules-${index}.yaml`), text);
    const config = {
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      rule_files: rules.map((_, index) => file(`rules-${index}.yaml`)),
      scrape_configs: jobs,
    };
    await writeFile(file("prometheus.yaml"), stringify(config));
    const server = new ServerProcess(
      isolation.inside(program, []),
      {
        "config.file": file("prometheus.yaml"),
        "storage.tsdb.path": file("data"),
        "web.listen-address": `0.0.0.0:${port}`,
      },
      file("prometheus.log"),
    );
    const prometheus = new Prometheus(`http://${isolation.address}:${port}`, server);
    await prometheus.until("Prometheus is ready", async () => (await fetch(`${prometheus.#url}/-/ready`)).ok);
    return prometheus;
  }

  /** The labels of the targets whose last scrape succeeded. */
  async targets(): Promise<readonly Readonly<Record<string, string>>[]> {
    const { activeTargets } = await this.#get("targets?state=active");
    const targets: readonly { readonly health: string; readonly labels: Readonly<Record<string, string>> }[] =
      activeTargets;
    return targets.filter(({ health }) => health === "up").map(({ labels }) => labels);
  }

  /** The present value of each series. */
  async query(expression: string): Promise<readonly Sample[]> {
    const { result } = await this.#get(`query?${new URLSearchParams({ query: expression }).toString()}`);
    const series: readonly { readonly metric: Sample["labels"]; readonly value: readonly [number, string] }[] = result;
    return series.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** How many series there were since a time in seconds. */
  async seriesSince(start: number, expression: string): Promise<number> {
    const range = { query: expression, start: String(start), end: String(Date.now() / 1_000), step: "1" };
    const { result } = await this.#get(`query_range?${new URLSearchParams(range).toString()}`);
    return result.length;
  }

  async alerts(): Promise<readonly ActiveAlert[]> {
    const { alerts } = await this.#get("alerts");
    const active: readonly { readonly state: ActiveAlert["state"]; readonly labels: ActiveAlert["labels"] }[] = alerts;
    return active.map(({ state, labels }) => ({ name: labels["alertname"] ?? "", state, labels }));
  }

  /** Waits until something is so. Prometheus has no events. @throws {Error} after some time */
  async until(what: string, isSo: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let problem: unknown;
    while (performance.now() < deadline) {
      if (!this.#server.running) throw new Error(`Prometheus ended:\n${await this.#server.lastLogLines()}`);
      const so = await isSo().catch((error: unknown) => {
        problem = error;
        return false;
      });
      if (so) return;
      await sleep(500);
    }
    throw new Error(`not within ${timeoutMs / 1_000} s: ${what}`, { cause: problem });
  }

  // The result depends on the query.
  // oxlint-disable-next-line typescript/no-explicit-any
  async #get(path: string): Promise<any> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const body = (await response.json()) as { readonly data: unknown; readonly error?: string };
    if (!response.ok) throw new Error(`${path}: ${body.error ?? response.status}`);
    return body.data;
  }
}
