import { type ChartValues, renderChart } from "#test/deploy/helm.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const label = (name: string) => `__meta_kubernetes_service_label_${name.replaceAll(/[^\w]/g, "_")}`;
const copy = (source: string, target: string) => ({ source_labels: [source], target_label: target });
const keep = (source: string, value: string) => ({ source_labels: [source], action: "keep", regex: value });

interface Endpoint {
  readonly port: string;
  readonly scheme?: string;
  readonly tlsConfig?: { readonly serverName: string };
}

interface Access {
  readonly kubeconfig: string;
  /** The file of the certificate authority that the ServiceMonitors name by a Secret. */
  readonly authority?: string;
}

/**
 * The jobs for the ServiceMonitors of a chart.
 * @param values of the chart `muster`
 */
export async function scrapeConfigsOfChart(
  chart: "muster" | "muster-try-out",
  values: ChartValues,
  access: Access,
): Promise<readonly object[]> {
  const monitored = { ...values, serviceMonitor: { enabled: true } };
  const objects = await renderChart(chart, chart === "muster" ? monitored : { muster: monitored });
  const monitors = objects.filter(({ kind }) => kind === "ServiceMonitor");
  return monitors.flatMap((monitor) => scrapeConfigs(monitor, access));
}

/**
 * The jobs of Prometheus for a ServiceMonitor, as the Prometheus Operator writes them: endpoints of the Services with these labels, and
 * the Service's name as that of the job.
 */
function scrapeConfigs(monitor: KubeObject, { kubeconfig, authority }: Access): readonly object[] {
  const { name, namespace = "" } = monitor.metadata;
  const selected: Readonly<Record<string, string>> = monitor["spec"].selector.matchLabels;
  const endpoints: readonly Endpoint[] = monitor["spec"].endpoints;
  return endpoints.map(({ port, scheme = "http", tlsConfig }, index) => ({
    job_name: `serviceMonitor/${namespace}/${name}/${index}`,
    scheme,
    ...(tlsConfig === undefined ? {} : { tls_config: { ca_file: authority, server_name: tlsConfig.serverName } }),
    kubernetes_sd_configs: [{ role: "endpointslice", kubeconfig_file: kubeconfig, namespaces: { names: [namespace] } }],
    relabel_configs: [
      ...Object.entries(selected).map(([key, value]) => keep(label(key), value.replaceAll(".", "[.]"))),
      keep("__meta_kubernetes_endpointslice_port_name", port),
      copy("__meta_kubernetes_namespace", "namespace"),
      copy("__meta_kubernetes_service_name", "service"),
      copy("__meta_kubernetes_pod_name", "pod"),
      copy("__meta_kubernetes_pod_container_name", "container"),
      copy("__meta_kubernetes_service_name", "job"),
      { target_label: "endpoint", replacement: port },
    ],
  }));
}
