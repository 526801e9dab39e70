import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { parsePage } from "#scripts/docs/page-parser.ts";
import { describeWithBareControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { type ChartValues, helm, release, renderChart } from "./helm.ts";

const uid = "0123456789abcdef0123456789abcdef01234567";
const settings = {
  platformUrl: "https://platform.example.com",
  identity: `${uid}/0123456789abcdef`,
  rootGroup: [uid],
  allowedRole: ["viewer"],
};
const account = { type: "ServiceAccount", identityUid: settings.identity };

describeWithBareControlPlane("releases of the charts in a cluster", (controlPlane) => {
  const cluster = () => ["--kubeconfig", controlPlane().kubeconfigFile, "--namespace", release.namespace];
  const install = (name: string, chart: string, values?: ChartValues) =>
    helm(["install", name, chart, ...cluster()], values);

  beforeAll(async () => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await controlPlane().admin.apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: release.namespace, labels },
    });
  });

  it("say that the CRDs are missing", async () => {
    const values = { settings, tenants: { shop: { namespaces: ["shop"] } } };
    await expect(install("muster", "muster", values)).rejects.toThrow("Install the chart muster-crds first");
  });

  it("of two operators with different classes exist beside each other, in one namespace", async () => {
    const { admin } = controlPlane();
    await install("muster-crds", "muster-crds");
    await admin.waitFor(
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "tenants.iam.muster.dev" },
      },
      (one) =>
        one?.["status"]?.conditions?.some(
          ({ type, status }: { type: string; status: string }) => type === "Established" && status === "True",
        ),
    );
    const plain = await install("muster", "muster", {
      settings,
      tenants: { shop: { namespaces: ["shop"], credentials: account } },
    });
    const blue = await install("muster-blue", "muster", {
      settings: { ...settings, class: "blue" },
      userRoles: false,
      tenants: { "shop-blue": { namespaces: ["blue"], credentials: account } },
    });
    expect(plain).toContain("helm test muster ");
    expect(blue).toContain("deploy/muster-operator-blue");
    const objects = await Promise.all(
      ["muster", "muster-blue"].map(async (name) => {
        const manifest = await helm(["get", "manifest", name, ...cluster()]);
        return parseAllDocuments(manifest).flatMap((one) => (one.toJS() as KubeObject | null) ?? []);
      }),
    );
    const named = objects.map((all) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
    expect(named[0]?.filter((name) => named[1]?.includes(name))).toEqual([]);

    // Neither selects the pods of the other one: otherwise both budgets would count all pods, and no node could be drained.
    const [first, second] = objects.map((all) => ({
      pods: all.find(({ kind }) => kind === "Deployment")?.["spec"].template.metadata.labels,
      selectors: all.flatMap(({ kind, spec }) =>
        kind === "Deployment" || kind === "PodDisruptionBudget"
          ? [spec.selector.matchLabels]
          : kind === "Service"
            ? [spec.selector]
            : [],
      ),
    }));
    const selects = (selector: object, labels: Record<string, string>) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    expect(second?.selectors.filter((selector) => selects(selector, first?.pods))).toEqual([]);
    expect(second?.selectors.every((selector) => selects(selector, second.pods))).toBe(true);
    expect(first?.selectors.filter((selector) => selects(selector, second?.pods))).toEqual([]);
  });

  it("take the image from another registry and keep all other values, as docs/operate/uninstall.md says", async () => {
    const text = await readFile("docs/operate/uninstall.md", "utf8");
    const step = parsePage({ path: "", text, page: "" }).fences.find(({ code }) => code.includes("--reuse-values"));
    const [, ...args] = (step?.code ?? "").trim().split(/\s+/);
    const { admin } = controlPlane();
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "muster-operator", namespace: release.namespace },
    };
    const before = await admin.get(deployment);
    await helm([
      ...args.map((arg) => (arg === "deploy/helm/muster" ? "muster" : arg)),
      "--kubeconfig",
      controlPlane().kubeconfigFile,
    ]);
    const after = await admin.get(deployment);
    const imageOf = (one: KubeObject | undefined) => one?.["spec"].template.spec.containers[0].image as string;
    expect(imageOf(after)).toBe(`registry.example.com/${imageOf(before)}`);
    const otherwise = (one: KubeObject | undefined) => JSON.stringify(one?.["spec"]).replaceAll(imageOf(one), "IMAGE");
    expect(otherwise(after)).toBe(otherwise(before));
  });

  it("say how to copy the data when a platform changes from SQLite to PostgreSQL", async () => {
    const { admin } = controlPlane();
    const values = {
      settings: { allowedRole: ["viewer"], class: "red" },
      userRoles: false,
      platform: { enabled: true },
    };
    await install("muster-red", "muster", values);
    const postgres = { ...values, platform: { enabled: true, database: { existingSecret: "database" } } };
    const upgrade = () => helm(["upgrade", "muster-red", "muster", ...cluster()], postgres);
    await expect(upgrade()).rejects.toThrow("muster platform migrate --stopped --data /data/platform.db");
    await admin.delete({
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "muster-platform-red", namespace: release.namespace },
    });
    expect(await upgrade()).not.toContain("migrate");
    await admin.apply({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data-muster-platform-red-0", namespace: release.namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    expect(await upgrade()).toContain("If `muster platform migrate` has not copied it to the database");
  });

  it.each([
    [
      "network policies",
      {
        networkPolicy: { enabled: true, from: [{ namespaceSelector: {} }] },
        platform: { enabled: true, networkPolicy: { enabled: true } },
      },
    ],
    [
      "a platform with PostgreSQL, TLS and an Ingress",
      {
        platform: {
          enabled: true,
          replicas: 3,
          database: { existingSecret: "database", urlKey: "uri", keyFileSecret: "platform-key" },
          tls: { secretName: "tls" },
          ingress: { enabled: true, host: "iam.example.com", className: "nginx", tlsSecretName: "public" },
        },
      },
    ],
    [
      "a platform with a storage class and settings of its own",
      {
        platform: {
          enabled: true,
          persistence: { storageClassName: "fast", size: "5Gi" },
          settings: { rateLimit: "50/s", drainDelay: "5s" },
        },
      },
    ],
  ] as [string, ChartValues][])("with %s are accepted by the API server, pods included", async (_, values) => {
    const { admin } = controlPlane();
    const objects = await renderChart("muster", {
      settings: { allowedRole: ["viewer"], class: "variant" },
      finalizerPolicy: { enabled: true },
      ...values,
    });
    for (const object of objects) {
      // Pods of hooks: nothing is stored, so their service account does not exist.
      const isPod = object.kind === "Pod";
      const runnable = isPod ? { ...object, spec: { ...object["spec"], serviceAccountName: "default" } } : object;
      await admin.create(runnable, { dryRun: true });
      const template = object["spec"]?.template;
      if (template?.spec?.containers === undefined) continue;
      const volumes = [...(template.spec.volumes ?? [])];
      if (object["spec"].volumeClaimTemplates !== undefined) volumes.push({ name: "data", emptyDir: {} });
      const metadata = { ...template.metadata, name: "example", namespace: release.namespace };
      const spec = { ...template.spec, serviceAccountName: "default", volumes };
      const pod = await admin.create({ apiVersion: "v1", kind: "Pod", metadata, spec }, { dryRun: true });
      expect(pod["spec"].containers[0].securityContext.readOnlyRootFilesystem).toBe(true);
    }
  });
});
