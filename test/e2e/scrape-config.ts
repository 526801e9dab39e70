import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

const label = (name: string) => `__meta_kubernetes_service_label_${name.replaceAll(/[^\w]/g, "_")}`;
const copy = (source: string, target: string) => ({ source_labels: [source], target_label: target });
const keep = (source: string, value: string) => ({ source_labels: [source], action: "keep", regex: value });

/**
 * The jobs of Prometheus for a ServiceMonitor, as the Prometheus Operator writes them: endpoints of the Services with these labels, and
 * the Service's name as that of the job.
 */
export function scrapeConfigs(monitor: KubeObject, kubeconfig: string): readonly object[] {
  const { name, namespace = "" } = monitor.metadata;
  const selected: Readonly<Record<string, string>> = monitor["spec"].selector.matchLabels;
  const endpoints: readonly { readonly port: string; readonly scheme?: string }[] = monitor["spec"].endpoints;
  return endpoints.map(({ port, scheme = "http" }, index) => ({
    job_name: `serviceMonitor/${namespace}/${name}/${index}`,
    scheme,
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
