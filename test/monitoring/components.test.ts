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

it.each([
  ["operator", "muster-system", "Deployment", "muster-operator"],
  ["platform", "muster-platform", "StatefulSet", "platform"],
])("the component of the %s scrapes its pods, in its namespace", (component, namespace, kind, workload) => {
  const monitor = named("PodMonitor", `muster-${component}`);
  expect(monitor.metadata.namespace).toBe(namespace);
  const [{ port: name, path } = { port: "", path: "" }]: { port: string; path: string }[] =
    monitor["spec"].podMetricsEndpoints;
  expect(path).toBe("/metrics");
  const pods = named(kind, workload);
  expect(pods.metadata.namespace).toBe(namespace);
  const { metadata, spec } = pods["spec"].template;
  expect(metadata.labels).toMatchObject(monitor["spec"].selector.matchLabels);
  expect(spec.containers[0].ports.map((port: { name: string }) => port.name)).toContain(name);
});

it.each(["operator", "platform"])("the component of the %s has alerts and a dashboard", (component) => {
  expect(named("PrometheusRule", `muster-${component}`)["spec"].groups[0].rules.length).toBeGreaterThan(5);
  const dashboard = named("ConfigMap", `muster-${component}-dashboard`);
  expect(dashboard.metadata["labels"]).toMatchObject({ grafana_dashboard: "1" });
  expect(JSON.parse(dashboard["data"][`muster-${component}.json`])).toMatchObject({ uid: `muster-${component}` });
});
