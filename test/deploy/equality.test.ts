import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { operatorSettings } from "#src/commands/operator/settings.ts";
import { platformSettings } from "#src/commands/platform/settings.ts";
import { variableOf } from "#src/commands/settings/settings.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { type ChartValues, renderChart } from "./helm.ts";
import { kustomize, manifests } from "./kustomize.ts";

const uid = "0123456789abcdef0123456789abcdef01234567";
const settings = {
  platformUrl: "https://platform.example.com",
  identity: `${uid}/0123456789abcdef`,
  rootGroup: [uid, "f".repeat(40)],
  allowedRole: ["viewer", "editor"],
  breakerObjects: 1_000_000,
};
const variables = [
  "MUSTER_PLATFORM_URL=https://platform.example.com",
  `MUSTER_IDENTITY=${settings.identity}`,
  `MUSTER_ROOT_GROUP=${settings.rootGroup.join(";")}`,
  "MUSTER_ALLOWED_ROLE=viewer;editor",
  "MUSTER_BREAKER_OBJECTS=1000000",
];
const image = { name: "muster", newName: "registry.example.com/muster", newTag: "1.2.3" };
const imageValues = { repository: "registry.example.com/muster", tag: "1.2.3" };

/** Builds an overlay over `base`, in a folder that exists only meanwhile. */
async function overlay(options: OverlayOptions): Promise<readonly KubeObject[]> {
  const { components = [], more = [], resources = {}, fields = {} } = options;
  const folder = await realpath(await mkdtemp(join(tmpdir(), "muster-equality-")));
  const write = async (path: string, content: object) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), stringify(content));
  };
  try {
    const shipped = (from: string, name: string) => relative(join(folder, from), join(manifests, name));
    for (const [name, { folders, ...content }] of Object.entries(resources))
      await write(`${name}/kustomization.yaml`, { ...content, resources: folders.map((one) => shipped(name, one)) });
    const literals = [...variables, ...more];
    await write("operator/kustomization.yaml", {
      resources: [shipped("operator", "base")],
      images: [image],
      configMapGenerator: [{ name: "muster-settings", namespace: "muster-system", behavior: "merge", literals }],
    });
    // Kustomize applies components before images: the component of pod injection copies the image of the operator.
    await write("named/kustomization.yaml", {
      resources: ["../operator"],
      components: components.map((name) => shipped("named", `components/${name}`)),
      ...fields,
    });
    await write("kustomization.yaml", { resources: ["named", ...Object.keys(resources)] });
    return await kustomize(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function withoutSpaces(expression: string): string {
  try {
    return JSON.stringify(JSON.parse(expression));
  } catch {
    return expression;
  }
}

interface OverlayOptions {
  readonly components?: readonly string[];
  /** Further settings, as variables. */
  readonly more?: readonly string[];
  readonly resources?: Readonly<Record<string, { readonly folders: readonly string[] } & Record<string, unknown>>>;
  /** Further fields of the kustomization. */
  readonly fields?: object;
}

/** The settings of agents as values of the chart and as patches for Kustomize, as the documentation has them. */
async function documentedAgents(): Promise<{
  readonly podInjection: ChartValues;
  readonly patches: readonly object[];
}> {
  const page = await readFile(new URL("../../docs/operate/proxies.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => parse(text) as object);
  return Object.assign({}, ...blocks);
}

/** What Helm and Kustomize do differently on purpose, which must not count as a difference. */
const labelsOfHelm = [
  "app.kubernetes.io/instance",
  "app.kubernetes.io/version",
  "app.kubernetes.io/managed-by",
  "helm.sh/chart",
];

/** The objects by kind and name, without hooks and the namespace, each without what only one of the tools adds. */
function comparable(objects: readonly KubeObject[]): Record<string, unknown> {
  const compared = objects
    .filter(
      ({ kind, metadata: { annotations } }) => kind !== "Namespace" && annotations?.["helm.sh/hook"] === undefined,
    )
    .map((object) => {
      // Kustomize adds a hash of the content to the name of the settings, Helm an annotation to the pods.
      const text = JSON.stringify(object).replace(/(muster-settings(-blue)?)-[a-z0-9]{10}"/g, '$1"');
      const { metadata, ...rest } = JSON.parse(text) as KubeObject;
      // The literals in a policy may have spaces.
      for (const variable of rest["spec"]?.variables ?? []) variable.expression = withoutSpaces(variable.expression);
      if (rest.kind === "Deployment") delete rest["spec"].template.metadata.annotations;
      const { labels = {}, annotations: _kept, namespace, ...others } = metadata;
      const own = Object.fromEntries(Object.entries(labels).filter(([name]) => !labelsOfHelm.includes(name)));
      // Kustomize adds the namespace of an overlay to admission policies, which have none.
      const scoped = rest.kind.includes("AdmissionPolicy") ? {} : { namespace };
      return [`${rest.kind} ${metadata.name}`, { ...rest, metadata: { ...others, ...scoped, labels: own } }] as const;
    });
  expect(new Set(compared.map(([name]) => name)).size).toBe(compared.length);
  return Object.fromEntries(compared);
}

describe("Helm and Kustomize render the same objects", () => {
  it("of the operator, with the same settings", async () => {
    const chart = await renderChart("muster", {
      image: imageValues,
      settings,
      finalizerPolicy: { enabled: false },
    });
    const overlaid = comparable(await overlay({}));
    expect(Object.keys(overlaid).length).toBeGreaterThan(15);
    expect(comparable(chart)).toEqual(overlaid);
  });

  it("with a class in another namespace, every component and a Tenant with credentials of its own", async () => {
    const { podInjection, patches } = await documentedAgents();
    const chart = await renderChart(
      "muster",
      {
        image: imageValues,
        settings: { ...settings, class: "blue" },
        // The ConfigMap that `muster bootstrap --class blue` prints.
        settingsFrom: ["muster-identity-blue"],
        networkPolicy: { enabled: true },
        serviceMonitor: { enabled: true },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
        finalizerPolicy: { enabled: true },
        podInjection: { enabled: true, ...podInjection },
        tenants: {
          shop: { namespaces: ["shop"], credentials: { type: "ServiceAccount", identityUid: settings.identity } },
        },
      },
      { name: "another", namespace: "iam" },
    );
    const [tenants, rest] = [
      chart.filter(({ kind }) => kind === "Tenant"),
      chart.filter(({ kind }) => kind !== "Tenant"),
    ];
    const components = [
      "admission-policy",
      "bootstrap-identity",
      "network-policy",
      "pod-injection",
      "../../monitoring/operator",
    ];
    const ofClass = { "app.kubernetes.io/name": "muster-blue" };
    const overlaid = await overlay({
      components,
      more: ["MUSTER_CLASS=blue"],
      resources: {
        shop: { folders: ["tenant-token"], namespace: "iam", nameSuffix: "-shop", labels: [{ pairs: ofClass }] },
      },
      fields: {
        namespace: "iam",
        nameSuffix: "-blue",
        labels: [{ pairs: ofClass, includeSelectors: true }],
        patches,
      },
    });
    expect(comparable(rest)).toEqual(comparable(overlaid));
    expect(tenants).toMatchObject([
      { metadata: { name: "shop", annotations: { "helm.sh/resource-policy": "keep" } }, spec: { class: "blue" } },
    ]);
  });

  it("of the monitoring of a platform", async () => {
    const values = {
      settings: { allowedRole: ["viewer"] },
      platform: { enabled: true },
      serviceMonitor: { enabled: true },
      prometheusRule: { enabled: true },
      dashboards: { enabled: true },
    };
    const chart = await renderChart("muster", values, { name: "muster", namespace: "muster-platform" });
    const overlaid = comparable(
      (await overlay({ components: ["platform-monitoring"] })).filter(
        ({ metadata }) => metadata.namespace === "muster-platform",
      ),
    );
    const kinds = Object.keys(overlaid).map((name) => name.split(" ")[0]);
    expect(new Set(kinds)).toEqual(new Set(["ConfigMap", "PrometheusRule", "ServiceMonitor"]));
    expect(comparable(chart)).toMatchObject(overlaid);
  });

  it("of the CRDs, which Helm keeps", async () => {
    const definitions = await renderChart("muster-crds");
    expect(definitions.map(({ kind }) => kind)).toEqual(Array(definitions.length).fill("CustomResourceDefinition"));
    for (const { metadata } of definitions) expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  });
});

it.each([
  ["operator", operatorSettings, "ConfigMap"],
  ["platform", platformSettings, "StatefulSet"],
] as const)("each setting of the %s in the values becomes its variable", async (command, known, kind) => {
  const reserved =
    /^(listen|healthListen|tokenFile|serviceAccountDirectory|kubeconfig|context|leaseName|leaseNamespace|data|database|tlsCert|tlsKey|baseUrl|adminTokenFile|initFile|keyFile)$/;
  const samples = (pattern: RegExp | undefined) =>
    ["one", "two", "1m", "2m", "0".repeat(40), "1".repeat(40)].filter((sample) => pattern?.test(sample) ?? true);
  const given = Object.fromEntries(
    Object.entries(known)
      .filter(([key]) => !reserved.test(key))
      .map(([key, { repeatable, pattern }]) => [
        key,
        repeatable ? samples(pattern).slice(0, 2) : (samples(pattern)[0] ?? ""),
      ]),
  );
  const values =
    command === "operator"
      ? { settings: given }
      : { platform: { enabled: true, settings: given }, settings: { allowedRole: ["viewer"] } };
  const objects = await renderChart("muster", values);
  const found = objects.find((object) => object.kind === kind);
  const env: { name: string; value: string }[] = found?.["spec"]?.template.spec.containers[0].env ?? [];
  const rendered: Record<string, string> =
    found?.["data"] ?? Object.fromEntries(env.map(({ name, value }) => [name, value]));
  for (const [key, value] of Object.entries(given)) {
    const text = typeof value === "string" ? value : value.join(";");
    expect(rendered[variableOf(key)], key).toContain(text);
  }
});
