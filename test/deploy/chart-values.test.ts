import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withRecordedOwner } from "#src/platform-client/owner-record.ts";
import { parseInitFile } from "#src/platform/init-file.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { type ChartValues, helm, release, renderChart } from "./helm.ts";
import { Workload } from "./workload.ts";

const uid = "0123456789abcdef0123456789abcdef01234567";
const settings = {
  platformUrl: "https://platform.example.com",
  identity: `${uid}/0123456789abcdef`,
  rootGroup: [uid],
  allowedRole: ["viewer"],
};
/** That of the token that Kubernetes puts into the pod. */
const clusterIssuer = "https://kubernetes.example.com";
const withPlatform = { platform: { enabled: true }, settings: { allowedRole: ["viewer"] } };
const find = (objects: readonly KubeObject[], kind: string, name: string) =>
  objects.find((one) => one.kind === kind && one.metadata.name === name) ?? expect.fail(`no ${kind} ${name}`);

describe("the values of the chart muster", () => {
  it.each([
    ["a misspelled value", { settings, replicsa: 3 }, "additional properties 'replicsa' not allowed"],
    [
      "a misspelled setting",
      { settings: { ...settings, allowedRoles: ["viewer"] } },
      "additional properties 'allowedRoles' not allowed",
    ],
    [
      "a setting that the chart gives",
      { settings: { ...settings, listen: "0.0.0.0:80" } },
      "additional properties 'listen' not allowed",
    ],
    [
      "a misspelled field of a Tenant",
      { settings, tenants: { shop: { namespace: ["shop"] } } },
      "additional properties 'namespace' not allowed",
    ],
    ["a uid without quotes", { settings: { ...settings, rootGroup: [1] } }, "got number, want string"],
    [
      "an identity that is no uid",
      { settings: { ...settings, identity: "muster" } },
      "at '/settings/identity': 'muster' does not match pattern",
    ],
    [
      "a duration without a unit",
      { settings: { ...settings, resync: 20 } },
      "'/settings/resync': got number, want string",
    ],
    ["missing settings", {}, "settings.platformUrl, settings.identity, settings.rootGroup, settings.allowedRole"],
    [
      "a platform without its only required setting",
      { platform: { enabled: true } },
      "These values are required: settings.allowedRole.",
    ],
    [
      "several replicas on SQLite",
      { ...withPlatform, platform: { enabled: true, replicas: 2 } },
      "Set platform.database.existingSecret",
    ],
  ] as [string, ChartValues, string][])("are refused with a reason: %s", async (_, values, message) => {
    await expect(renderChart("muster", values)).rejects.toThrow(message);
  });

  it.each(["docs/operate/install-with-helm.md", "docs/operate/upgrade.md", "deploy/helm/muster/README.md"])(
    "are accepted as they are in %s",
    async (page) => {
      const text = await readFile(new URL(`../../${page}`, import.meta.url), "utf8");
      const blocks = [...text.matchAll(/^( *)```yaml\n(.*?)^ *```/gms)].map(([, indent = "", block = ""]) =>
        block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      );
      expect(blocks).not.toEqual([]);
      for (const block of blocks) expect(await renderChart("muster", parse(block))).not.toEqual([]);
    },
  );

  it("are accepted by helm lint, also with the values of a chart that depends on it", async () => {
    await helm(["lint", "--strict", "muster"], { settings, global: { any: "value" } });
    await helm(["lint", "--strict", "muster-crds"]);
  });

  it("make links of the runbooks of alerts", async () => {
    const runbookBaseUrl = "https://git.example.com/muster/blob/main/";
    const objects = await renderChart("muster", { settings, prometheusRule: { enabled: true, runbookBaseUrl } });
    const [{ rules }] = find(objects, "PrometheusRule", "muster-operator")["spec"].groups;
    expect(rules[0].annotations.runbook_url).toBe(`${runbookBaseUrl}docs/operate/operator-alerts.md#musternoleader`);
  });

  it("give pods what platform engineers expect to give", async () => {
    const objects = await renderChart("muster", {
      settings,
      image: {
        repository: "registry.example.com/muster",
        digest: `sha256:${"0".repeat(64)}`,
        pullPolicy: "Always",
        pullSecrets: [{ name: "pull" }],
      },
      serviceAccount: { name: "iam", annotations: { "example.com/role": "iam" } },
      podAnnotations: { "example.com/a": "b" },
      podLabels: { team: "iam" },
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [],
      priorityClassName: "system-cluster-critical",
      podSecurityContext: { runAsUser: null },
      extraEnv: [{ name: "HTTPS_PROXY", value: "http://proxy.example.com" }],
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/etc/ca" }],
      resources: { limits: { memory: "1Gi" } },
    });
    const { template } = find(objects, "Deployment", "muster-operator")["spec"];
    expect(template.metadata.labels).toMatchObject({ team: "iam" });
    expect(template.metadata.annotations).toMatchObject({ "example.com/a": "b" });
    const { containers, ...pod } = template.spec;
    expect(pod).toMatchObject({
      serviceAccountName: "iam",
      imagePullSecrets: [{ name: "pull" }],
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ operator: "Exists" }],
      affinity: { nodeAffinity: {} },
      priorityClassName: "system-cluster-critical",
      securityContext: { runAsNonRoot: true },
      volumes: [{ name: "platform-token" }, { name: "ca" }],
    });
    expect(pod).not.toHaveProperty("topologySpreadConstraints");
    expect(pod.securityContext).not.toHaveProperty("runAsUser");
    expect(containers).toMatchObject([
      {
        image: `registry.example.com/muster@sha256:${"0".repeat(64)}`,
        imagePullPolicy: "Always",
        resources: { limits: { memory: "1Gi" } },
        volumeMounts: [{ name: "platform-token" }, { name: "ca" }],
      },
    ]);
    expect(containers[0].env.map(({ name }: { name: string }) => name)).toEqual(["MUSTER_LEASE_NAME", "HTTPS_PROXY"]);
    // The Lease has the name of the account, and so has the permission to use it.
    expect(find(objects, "Role", "muster-lease")["rules"][1].resourceNames).toEqual(["iam"]);
    expect(find(objects, "ClusterRoleBinding", "muster-operator")["subjects"]).toMatchObject([{ name: "iam" }]);
  });

  it("render without a cluster as for one: nothing is random", async () => {
    const [first, second] = [await renderChart("muster", withPlatform), await renderChart("muster", withPlatform)];
    expect(second).toEqual(first);
  });
});

describe("the platform of the chart muster", () => {
  const initFile = (objects: readonly KubeObject[], name = "muster-platform-init") =>
    parseInitFile(find(objects, "ConfigMap", name)["data"]["init.yaml"], (issuer) =>
      issuer.replace("token:/etc/cluster/token", clusterIssuer),
    );

  it("lets the values replace what Node is told", async () => {
    const option = { name: "NODE_OPTIONS", value: "--max-semi-space-size=16" };
    const variablesOf = async (extraEnv: readonly object[]): Promise<readonly (typeof option)[]> => {
      const objects = await renderChart("muster", {
        ...withPlatform,
        platform: { ...withPlatform.platform, extraEnv },
      });
      const { template } = find(objects, "StatefulSet", "muster-platform")["spec"];
      return template.spec.containers[0].env.filter(({ name }: typeof option) => name === option.name);
    };
    expect(await variablesOf([])).toEqual([]);
    expect(await variablesOf([option])).toEqual([option]);
  });

  it.each([
    ["hashes of the release", {}, "muster", ""],
    ["hashes of another release, with a class", { class: "blue" }, "another", "-blue"],
    ["the given ones", { identity: settings.identity, rootGroup: [uid], ownerId: "production" }, "muster", ""],
  ])("has the identity that the operator assumes, with uids that are %s", async (_, more, name, suffix) => {
    const objects = await renderChart(
      "muster",
      { ...withPlatform, settings: { ...withPlatform.settings, ...more } },
      { name, namespace: release.namespace },
    );
    const variables = find(objects, "ConfigMap", `muster-settings${suffix}`)["data"];
    const { rootGroup, identities } = initFile(objects, `muster-platform${suffix}-init`);
    expect(rootGroup.uid).toBe(variables.MUSTER_ROOT_GROUP);
    const owner = variables.MUSTER_CLASS
      ? `${variables.MUSTER_OWNER_ID}/${variables.MUSTER_CLASS}`
      : variables.MUSTER_OWNER_ID;
    expect(identities).toMatchObject([
      {
        uid: variables.MUSTER_IDENTITY,
        name: `muster${suffix}`,
        description: withRecordedOwner("", owner),
        claimMatch: { sub: { value: `system:serviceaccount:${release.namespace}:muster-operator${suffix}` } },
      },
    ]);
    if ("rootGroup" in more) expect(variables).toMatchObject({ MUSTER_ROOT_GROUP: uid, MUSTER_OWNER_ID: "production" });
  });

  it("has other uids in every release", async () => {
    const releases = [release, { ...release, name: "another" }, { ...release, namespace: "another" }];
    const rendered = await Promise.all(releases.map((one) => renderChart("muster", withPlatform, one)));
    expect(new Set(rendered.map((objects) => initFile(objects).rootGroup.uid)).size).toBe(3);
  });

  it.each([
    ["of the cluster, by default", {}, clusterIssuer, "token:/etc/cluster/token"],
    ["that is given", { clusterIssuer: "https://given.example.com" }, "https://given.example.com", ""],
  ])("trusts the issuer %s", async (_, more, issuer, setting) => {
    const objects = await renderChart("muster", { ...withPlatform, platform: { enabled: true, ...more } });
    expect(initFile(objects).identities).toMatchObject([{ claimMatch: { iss: { value: issuer } } }]);
    const { spec } = find(objects, "StatefulSet", "muster-platform")["spec"].template;
    const { value } = spec.containers[0].env.find(({ name }: { name: string }) => name === "MUSTER_TRUSTED_ISSUER");
    expect(value).toBe(
      `${setting || issuer},ca=/etc/cluster/ca.crt,jwks=https://kubernetes.default.svc/openid/v1/jwks`,
    );
  });

  it("has a budget for the operator only if it has several replicas: another would allow every eviction", async () => {
    const budgets = async (values: ChartValues) =>
      (await renderChart("muster", { ...withPlatform, ...values }))
        .filter(({ kind }) => kind === "PodDisruptionBudget")
        .map(({ metadata }) => metadata.name);
    expect(await budgets({})).toEqual(["muster-operator"]);
    expect(await budgets({ replicas: 1 })).toEqual([]);
  });

  describe("with several replicas", () => {
    const rendered = async (more: ChartValues) => {
      const platform = { enabled: true, replicas: 3, database: { existingSecret: "database" }, ...more };
      return await renderChart("muster", { ...withPlatform, platform });
    };

    it("keeps all but one while nodes are drained", async () => {
      const { spec } = find(await rendered({}), "PodDisruptionBudget", "muster-platform");
      const pods = find(await rendered({}), "StatefulSet", "muster-platform")["spec"].template.metadata.labels;
      expect(spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: expect.anything() } });
      expect(pods).toMatchObject(spec.selector.matchLabels);
      const without = [{ replicas: 1 }, { podDisruptionBudget: { enabled: false } }].map(rendered);
      for (const objects of await Promise.all(without))
        expect(objects.filter(({ kind }) => kind === "PodDisruptionBudget")).toHaveLength(1);
    });

    it.each<[ChartValues, string | undefined, number]>([
      [{}, "5s", 25],
      [{ settings: { drainDelay: "1m30.5s" } }, "1m30.5s", 111],
      [{ settings: { drainDelay: "900ms" } }, "900ms", 21],
      [{ settings: { drainDelay: "0s" } }, "0s", 20],
      [{ replicas: 1 }, undefined, 20],
    ])("%j: drains before the kubelet kills it", async (values, delay, grace) => {
      const objects = await rendered(values);
      const { containers, terminationGracePeriodSeconds } = find(objects, "StatefulSet", "muster-platform")["spec"]
        .template.spec;
      const variable = containers[0].env.find(({ name }: { name: string }) => name === "MUSTER_DRAIN_DELAY");
      expect({ delay: variable?.value, grace: terminationGracePeriodSeconds }).toEqual({ delay, grace });
    });
  });

  it("probes the platform, also one with TLS, at a port that no client reaches through the Service", async () => {
    const objects = await renderChart("muster", {
      ...withPlatform,
      platform: { enabled: true, tls: { secretName: "tls" }, networkPolicy: { enabled: true } },
    });
    const pod = new Workload(objects, "StatefulSet", "muster-platform");
    const { startupProbe, livenessProbe, readinessProbe, ports } = pod.container;
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
      { path: "/livez", port: "health" },
      { path: "/livez", port: "health" },
      { path: "/readyz", port: "health" },
    ]);
    const port = ports.find(({ name }) => name === "health")?.containerPort;
    expect(pod.environment["MUSTER_HEALTH_LISTEN"]).toBe(`0.0.0.0:${port}`);
    expect(find(objects, "Service", "muster-platform")["spec"].ports).toMatchObject([{ targetPort: "http" }]);
    expect(find(objects, "NetworkPolicy", "muster-platform")["spec"].ingress).toEqual([{ ports: [{ port: "http" }] }]);
  });

  it("lets the pods of the release connect where the policies name peers, and nobody else of the namespace", async () => {
    const from = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }];
    const networkPolicy = { enabled: true, from };
    const objects = await renderChart("muster", {
      ...withPlatform,
      nameSuffix: "-blue",
      platform: { enabled: true, networkPolicy },
      networkPolicy,
    });
    const name = { "app.kubernetes.io/name": "muster-blue" };
    for (const component of ["operator", "platform"])
      expect(find(objects, "NetworkPolicy", `muster-${component}-blue`)["spec"].ingress).toEqual([
        { ports: [{ port: "http" }], from: [{ podSelector: { matchLabels: name } }, ...from] },
      ]);
    const test = find(objects, "Pod", "muster-operator-check-blue");
    expect(test.metadata.labels).toMatchObject(name);
    for (const [kind, workload] of [
      ["Deployment", "muster-operator-blue"],
      ["StatefulSet", "muster-platform-blue"],
    ] as const)
      expect(find(objects, kind, workload)["spec"].template.metadata.labels).toMatchObject(name);
  });

  it("serves TLS with the certificate of a Secret, which the operator trusts", async () => {
    const tls = { certManager: { enabled: true, issuerRef: { name: "ca" } } };
    const objects = await renderChart("muster", {
      ...withPlatform,
      platform: { enabled: true, tls },
      serviceMonitor: { enabled: true },
    });
    const address = "https://muster-platform.muster-system.svc:8080";
    expect(find(objects, "ConfigMap", "muster-settings")["data"]).toMatchObject({
      MUSTER_PLATFORM_URL: address,
      MUSTER_PLATFORM_CA: "/etc/muster/platform/ca.crt",
    });
    const secretName = "muster-platform-tls";
    expect(find(objects, "Certificate", "muster-platform")["spec"]).toMatchObject({
      secretName,
      dnsNames: ["muster-platform.muster-system.svc"],
    });
    const { spec } = find(objects, "StatefulSet", "muster-platform")["spec"].template;
    expect(spec.volumes).toContainEqual({ name: "tls", secret: { secretName, defaultMode: 0o440 } });
    const monitor = find(objects, "ServiceMonitor", "muster-platform")["spec"];
    expect(find(objects, "Service", "muster-platform").metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(monitor.endpoints).toMatchObject([{ scheme: "https", tlsConfig: { ca: { secret: { name: secretName } } } }]);
    const operator = find(objects, "Deployment", "muster-operator")["spec"].template.spec;
    expect(operator.volumes).toContainEqual({
      name: "platform-ca",
      secret: { secretName, items: [{ key: "ca.crt", path: "ca.crt" }] },
    });
  });

  it.each([
    ["ingress", "Ingress"],
    ["gateway", "HTTPRoute"],
  ])("has the address of its %s", async (value, kind) => {
    const route = {
      enabled: true,
      host: "iam.example.com",
      ...(value === "gateway" ? { parentRefs: [{ name: "public" }] } : {}),
    };
    const objects = await renderChart("muster", { ...withPlatform, platform: { enabled: true, [value]: route } });
    expect(find(objects, kind, "muster-platform").metadata.namespace).toBe(release.namespace);
    expect(find(objects, "ConfigMap", "muster-settings")["data"].MUSTER_PLATFORM_URL).toBe("https://iam.example.com");
  });
});
