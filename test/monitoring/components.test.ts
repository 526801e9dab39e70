import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { kustomize, manifests } from "#test/deploy/kustomize.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

let folder = "";
let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "muster-monitoring-")));
  const shipped = (name: string) => relative(folder, join(manifests, name));
  const overlay = {
    resources: [shipped("overlays/try-out")],
    components: [shipped("components/monitoring"), shipped("components/platform-monitoring")],
  };
  await writeFile(join(folder, "kustomization.yaml"), stringify(overlay));
  objects = await kustomize(folder);
});
afterAll(() => rm(folder, { recursive: true }));

function named(kind: string, name: string): KubeObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

function isSubset(part: Record<string, string>, labels: Record<string, string> = {}): boolean {
  return Object.entries(part).every(([name, value]) => labels[name] === value);
}

it.each([
  ["operator", "muster-system", "Deployment", "muster-operator"],
  ["platform", "muster-platform", "StatefulSet", "platform"],
])("the component of the %s scrapes its pods, in its namespace", (component, namespace, kind, workload) => {
  const monitor = named("ServiceMonitor", `muster-${component}`);
  expect(monitor.metadata.namespace).toBe(namespace);
  const { endpoints, selector } = monitor["spec"];
  // The path is /metrics by default.
  expect(endpoints).toEqual([{ port: "http" }]);
  const services = objects.filter(
    ({ kind: one, metadata }) =>
      one === "Service" && metadata.namespace === namespace && isSubset(selector.matchLabels, metadata["labels"]),
  );
  expect(services).toHaveLength(1);
  const { ports, selector: podSelector } = services[0]?.["spec"] ?? {};
  expect(ports[0].name).toBe("http");
  const pods = named(kind, workload);
  expect(pods.metadata.namespace).toBe(namespace);
  const { metadata, spec } = pods["spec"].template;
  expect(metadata.labels).toMatchObject(podSelector);
  expect(spec.containers[0].ports.map((port: { name: string }) => port.name)).toContain(ports[0].targetPort);
});

it.each(["operator", "platform"])("the component of the %s has alerts and a dashboard", (component) => {
  expect(named("PrometheusRule", `muster-${component}`)["spec"].groups[0].rules.length).toBeGreaterThan(5);
  const dashboard = named("ConfigMap", `muster-${component}-dashboard`);
  expect(dashboard.metadata["labels"]).toMatchObject({ grafana_dashboard: "1" });
  expect(JSON.parse(dashboard["data"][`muster-${component}.json`])).toMatchObject({ uid: `muster-${component}` });
});
