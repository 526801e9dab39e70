import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readDashboard, sentQuery } from "#test/monitoring/dashboards.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { applyExamples, runLabelledPod } from "#test/node/try-out.ts";
import { alertCauses } from "./alert-causes.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { Installation } from "./installation.ts";
import { Prometheus } from "./prometheus.ts";
import { report } from "./report.ts";
import { rulesWithoutWaiting } from "./rules-without-waiting.ts";
import { scrapeConfigsOfChart } from "./scrape-config.ts";

/** At rest, in the nightly run for an hour. */
const restSeconds = Number(process.env["MUSTER_E2E_REST_SECONDS"] ?? 120);

/** An operator that soon notices what happens, and a platform that a test can disturb. */
const values = {
  settings: { resync: "5s", breakerObjects: 5, workers: 2, settleTime: "2s" },
  platform: { settings: { faultInjection: true, maximumInFlight: 20 } },
};

describeOnNode("Prometheus beside an installation", () => {
  let cluster: Cluster;
  let installation: Installation;
  let prometheus: Prometheus;
  let start = 0;

  beforeAll(async () => {
    cluster = await startCluster({ progress: report });
    installation = await Installation.create(cluster, values);
    await applyExamples(cluster);
    const jobs = await scrapeConfigsOfChart("muster-try-out", {}, { kubeconfig: cluster.kubeconfig });
    const rules = await rulesWithoutWaiting();
    start = Date.now() / 1_000;
    prometheus = await Prometheus.start(cluster, { jobs, rules, interval: "2s" }, { progress: report });
    await runLabelledPod(cluster, "observed");
  });
  afterAll(() => cluster?.stop());

  const firing = async () =>
    (await prometheus.alerts()).filter(({ state }) => state === "firing").map(({ name }) => name);

  /** Waits until each pod is a target. */
  const scraped = async (server: Prometheus) => {
    await server.until("both components are scraped", async () => (await server.targets()).length >= 2);
    const targets = (await server.targets()).map(
      ({ namespace = "", job = "", pod = "" }) => `${namespace} ${job} ${pod.replace(/-[a-z0-9]+-[a-z0-9]{5}$/, "")}`,
    );
    return targets.toSorted();
  };
  const pods = ["muster-system muster-operator muster-operator", "muster-system muster-platform muster-platform-0"];

  it("scrapes each pod once, by the ServiceMonitors of the chart", async () => {
    expect(await scraped(prometheus)).toEqual(pods);
    // No label of a metric is one that Prometheus sets.
    expect(await prometheus.query('{__name__=~"muster_.*", exported_job!=""}')).toEqual([]);
    for (const label of ["namespace", "pod", "service", "container", "endpoint", "instance"])
      expect(await prometheus.query(`{__name__=~"muster_.*", exported_${label}!=""}`), label).toEqual([]);
  });

  it("scrapes each pod once, by the configuration in the docs", async () => {
    const text = await readFile(new URL("../../docs/operate/monitoring.md", import.meta.url), "utf8");
    const [, yaml = ""] = /```yaml\n(scrape_configs:[^]*?)```/.exec(text) ?? [];
    const [job] = (parse(yaml) as { readonly scrape_configs: readonly object[] }).scrape_configs;
    const discovery = [{ role: "endpointslice", kubeconfig_file: cluster.kubeconfig }];
    const jobs = [{ ...job, kubernetes_sd_configs: discovery }];
    const other = await Prometheus.start(cluster, { jobs, interval: "2s", port: 9091 });
    expect(await scraped(other)).toEqual(pods);
  });

  it(`fires no alert in ${restSeconds} s at rest`, { timeout: (restSeconds + 60) * 1_000 }, async () => {
    await prometheus.until("nothing fires after the installation", async () => (await firing()).length === 0);
    const since = Date.now();
    while (Date.now() < since + restSeconds * 1_000) {
      expect(await firing()).toEqual([]);
      await sleep(1_000);
    }
  });

  describe.each(alertCauses)("the cause of $alerts", ({ alerts, make, end }) => {
    it("makes it fire", { timeout: 240_000 }, async () => {
      await make(installation);
      for (const alert of alerts)
        await prometheus.until(`${alert} fires`, async () => (await firing()).includes(alert));
      await end?.(installation);
    });
  });

  it.each(["operator", "platform"] as const)(
    "had data for each panel of the dashboard of the %s",
    async (component) => {
      const { panels } = await readDashboard(component);
      const empty: string[] = [];
      for (const { title, targets = [] } of panels)
        for (const { expr } of targets) {
          // The chart serves without TLS.
          if (title === "Certificate expires in") continue;
          if ((await prometheus.seriesSince(start, sentQuery(expr))) === 0) empty.push(`${title}: ${expr}`);
        }
      expect(empty).toEqual([]);
    },
  );
});
