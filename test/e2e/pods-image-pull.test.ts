import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parsePage } from "#scripts/docs/page-parser.ts";
import { type Cluster, prepareCluster, startCluster } from "#test/node/cluster.ts";
import { addRegistry } from "#test/node/containerd.ts";
import { account, namespace, podSpec } from "#test/node/labelled-pod.ts";
import { applyExamples, installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { type Registry, startRegistry } from "./registry.ts";

const howTo = "docs/how-to/pull-images.md";
/** As in the docs. */
const registryHost = "registry.example.com";
const annotation = "iam.muster.dev/identity-uid";

/** The addresses of the platform of the chart `muster-try-out`, which a test below compares with the Identity's. */
const audience = "muster-platform.muster-system.svc";
const apiAudience = "http://muster-platform.muster-system.svc:8080";
/** The node itself knows no names of the cluster. */
const forNode = { clusterIP: "10.96.80.80", nodePort: 30_081 };
const authUrl = `http://${forNode.clusterIP}:8080/sts/exchange`;

/** The manifests of the guide, with the platform of this cluster. */
async function manifestsOfDocs(): Promise<readonly KubeObject[]> {
  const { fences } = parsePage({ path: howTo, text: await readFile(howTo, "utf8"), page: "" });
  const blocks = fences.filter(({ language }) => language === "yaml");
  return blocks.flatMap(({ code }) =>
    parseAllDocuments(
      code
        .replaceAll("https://platform.example.com/sts/exchange", authUrl)
        .replaceAll("https://platform.example.com", apiAudience)
        .replaceAll("platform.example.com", audience),
    ).map((document) => document.toJS() as KubeObject),
  );
}

const other = { ...account, metadata: { ...account.metadata, name: "other" } };

describeOnNode("a pod whose image is pulled with its own identity", () => {
  let folder: string;
  let cluster: Cluster;
  let registry: Registry;

  beforeAll(async () => {
    const { programs } = await prepareCluster();
    const [config, ...rbac] = await manifestsOfDocs();
    folder = await mkdtemp(join(tmpdir(), "muster-provider-"));
    await symlink(fileURLToPath(new URL("../../src/muster.sh", import.meta.url)), join(folder, "muster"));
    cluster = await startCluster({ credentialProvider: { folder, config } });
    const { admin, isolation } = cluster;
    const platform = `http://${isolation.address}:${forNode.nodePort}`;
    registry = await startRegistry(programs.pause, async (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${platform}/registry/v2beta1/repos`, { headers })).ok;
    });
    const [, machine] = /^default via (\S+)/.exec(await isolation.run("ip", "route", "show", "default")) ?? [];
    await addRegistry(isolation, registryHost, `${machine}:${registry.port}`);
    for (const object of rbac) await admin.apply(object);
    await installTryOut(cluster);
    await applyExamples(cluster);
    await admin.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "platform-for-node", namespace: operatorNamespace },
      spec: {
        type: "NodePort",
        clusterIP: forNode.clusterIP,
        selector: { "app.kubernetes.io/component": "platform" },
        ports: [{ port: 8080, targetPort: "http", nodePort: forNode.nodePort }],
      },
    });
    for (const one of [account, other]) await admin.apply(one);
  });
  afterAll(async () => {
    registry?.close();
    await cluster?.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  const exchange = async () => {
    const identity = { apiVersion: "iam.muster.dev/v1beta1", kind: "Identity", metadata: account.metadata };
    return (await cluster.admin.get(identity))["status"];
  };
  const annotate = async (one: KubeObject, uid: string) =>
    cluster.admin.patch(one, { metadata: { annotations: { [annotation]: uid } } });
  const pod = (name: string, { metadata }: KubeObject, imagePullPolicy = "Always"): KubeObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: podSpec({ image: `${registryHost}/shop/pause:1`, imagePullPolicy }, { serviceAccountName: metadata.name }),
  });
  /** What the kubelet says of the container. */
  const stateOf = (one: KubeObject | undefined) => one?.["status"]?.containerStatuses?.[0]?.state ?? {};
  async function isRefused(refused: KubeObject): Promise<void> {
    await cluster.admin.create(refused);
    const isFailed = (one: KubeObject | undefined) => stateOf(one).waiting?.reason === "ErrImagePull";
    const failed = await cluster.admin.waitFor(refused, isFailed, { timeoutMs: 60_000 });
    expect(stateOf(failed).waiting.message).toContain("no basic auth credentials");
    await cluster.admin.delete(refused);
  }

  it("is refused while its service account names no identity", () => isRefused(pod("unnamed", account)));

  it("runs when its service account names the identity", async () => {
    const { uid, exchange: found } = await exchange();
    expect(found).toMatchObject({ audience, apiAudience });
    await annotate(account, uid);
    const running = pod("named", account);
    await cluster.admin.create(running);
    await cluster.admin.waitFor(running, (one) => stateOf(one).running !== undefined, { timeoutMs: 60_000 });
    expect(registry.users).toEqual(new Set(["_token"]));
    await cluster.admin.delete(running);
  });

  it("is refused if another service account names the identity", async () => {
    await annotate(other, (await exchange()).uid);
    await isRefused(pod("foreign", other));
    const log = await readFile(join(cluster.isolation.folder, "kubelet.log"), "utf8");
    expect(log).toContain("the token may not assume this identity");
  });
});
