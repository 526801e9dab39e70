import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { type ChartValues, helm } from "#test/deploy/helm.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { groupsOfCheckout, labelledPod, namespace, outputOfEnded } from "#test/node/labelled-pod.ts";
import { enforceNetworkPolicies } from "#test/node/network-policies.ts";
import { applyExamples, imageOf, installTryOut, operatorNamespace, runLabelledPod } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { isReady, ref } from "#test/support/harness/muster-objects.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { report } from "./report.ts";

/** The values and the policies of the docs, in their order. */
async function documented() {
  const text = await readFile(new URL("../../docs/how-to/service-meshes.md", import.meta.url), "utf8");
  const [, section = ""] = text.split("\n## NetworkPolicies\n");
  const blocks = [...section.matchAll(/```yaml\n([^]*?)```/g)].map(([, yaml = ""]) => parse(yaml));
  const [values, ofMuster, ofPods] = blocks as [ChartValues, KubeObject, KubeObject];
  return { values, ofMuster, ofPods };
}

const operator = `http://muster-operator.${operatorNamespace}.svc:8080`;
const platform = `http://muster-platform.${operatorNamespace}.svc:8080`;

/** Prints the status of the response, or why the request failed. */
const connects = `fetch(process.argv[1], { signal: AbortSignal.timeout(3000) }).then(
  ({ status }) => console.log(status),
  (error) => console.log(error.cause?.code ?? error.name),
)`;

/** A pod that only waits, from which a test connects. */
const client = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "client", namespace: name },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "client", image: imageOf({}), command: ["sleep", "infinity"] }],
  },
});

describeOnNode("a cluster that enforces network policies", () => {
  let cluster: Cluster;
  let docs: Awaited<ReturnType<typeof documented>>;
  const kube = () => cluster.admin;
  const flags = () => ["--namespace", operatorNamespace, ...cluster.helmFlags];

  beforeAll(async () => {
    docs = await documented();
    cluster = await startCluster({ progress: report });
    await enforceNetworkPolicies(cluster, { progress: report });
    for (const name of [namespace, "monitoring", "elsewhere"]) {
      await kube().apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      await kube().apply(client(name));
    }
    await installTryOut(cluster, docs.values);
  });
  afterAll(() => cluster?.stop());

  /** Connects to an address from a pod, named as kubectl does. */
  const connect = async (from: string, url: string, pod = "pod/client"): Promise<string> =>
    (await kubectl(cluster, ["exec", "--namespace", from, pod, "--", "node", "-e", connects, url])).trim();

  /** Repeats it, because a policy is in force about a second after it was written. */
  const expectConnection = (from: string, url: string, pod?: string) =>
    expect.poll(() => connect(from, url, pod), { timeout: 30_000, message: `from ${from} to ${url}` });

  /** The address of the only pod with a label. */
  const addressOf = async (of: string, label: string): Promise<string> => {
    const output = ["--output", "jsonpath={.items[*].status.podIP}"];
    return kubectl(cluster, ["get", "pods", "--namespace", of, "--selector", label, ...output]);
  };

  it("makes objects Ready", () => applyExamples(cluster));

  it("lets the namespaces connect that the values name", async () => {
    for (const url of [operator, platform]) await expectConnection("monitoring", `${url}/metrics`).toBe("200");
    await expectConnection(namespace, `${platform}/metrics`).toBe("200");
  });

  it("refuses the connections of other namespaces", async () => {
    await expectConnection(namespace, `${operator}/metrics`).toBe("ECONNREFUSED");
    for (const url of [operator, platform]) await expectConnection("elsewhere", `${url}/metrics`).toBe("ECONNREFUSED");
  });

  it("refuses connections to the port of the probes, and the platform is Ready", async () => {
    const address = await addressOf(operatorNamespace, "app.kubernetes.io/component=platform");
    await expectConnection("monitoring", `http://${address}:8081/readyz`).toBe("ECONNREFUSED");
    const pods = ["--namespace", operatorNamespace, "pods", "--selector", "app.kubernetes.io/component=platform"];
    await kubectl(cluster, ["wait", "--for", "condition=Ready", "--timeout", "0s", ...pods]);
  });

  it("passes the test of the release, which the values do not name", async () => {
    expect(await helm(["test", "muster", "--logs", ...flags()])).toContain("can assume its identity");
  });

  it("gives a labelled pod a token, with which it reads", async () => {
    expect(await runLabelledPod(cluster, "labelled")).toBe(groupsOfCheckout);
  });

  it("lets the operator, the platform and pods do their work with the outgoing connections of the docs", async () => {
    const dns = `http://${await addressOf("kube-system", "k8s-app=kube-dns")}:8181/ready`;
    await expectConnection(operatorNamespace, dns, "deployment/muster-operator").toBe("200");
    for (const policy of [docs.ofMuster, docs.ofPods]) await kube().apply(policy);
    await expectConnection(operatorNamespace, dns, "deployment/muster-operator").toBe("ECONNREFUSED");
    for (const workload of ["statefulset/muster-platform", "deployment/muster-operator"]) {
      const inNamespace = ["--namespace", operatorNamespace];
      await kubectl(cluster, ["rollout", "restart", ...inNamespace, workload]);
      await kubectl(cluster, ["rollout", "status", "--timeout", "120s", ...inNamespace, workload]);
    }
    const group = ref("Group", namespace, "shop");
    const { metadata } = await kube().patch(group, { spec: { description: "With network policies" } });
    const isEdited = (object: KubeObject | undefined) =>
      isReady(object) && object?.["status"].observedGeneration === metadata.generation;
    await kube().waitFor(group, isEdited, { timeoutMs: 60_000 });
    expect(await runLabelledPod(cluster, "limited")).toBe(groupsOfCheckout);
  });

  it("reports why a pod does not start that may not connect to the platform", async () => {
    const policy = { ...docs.ofPods, spec: { ...docs.ofPods["spec"], egress: docs.ofPods["spec"].egress.slice(0, 1) } };
    await kube().apply(policy);
    const pod = labelledPod("waits", { image: imageOf({}), command: ["true"] });
    await kube().create(pod);
    const messages = async () => {
      const events = await kube().list({ apiVersion: "v1", kind: "Event" }, { namespace });
      return events.filter(({ involvedObject }) => involvedObject.name === "waits").map(({ message }) => message);
    };
    await expect
      .poll(messages, { timeout: 60_000 })
      .toContainEqual(expect.stringMatching(/the token service at \S+ is not available: /));
    await kube().apply(docs.ofPods);
    expect(await outputOfEnded(kube(), pod)).toBe("");
    await kube().delete(pod);
  });

  it("lets every namespace connect without the policies", async () => {
    const disabled = { networkPolicy: { enabled: false }, platform: { networkPolicy: { enabled: false } } };
    await helm(["upgrade", "muster", "muster-try-out", "--wait", "--timeout", "2m", ...flags()], { muster: disabled });
    for (const url of [operator, platform]) await expectConnection("elsewhere", `${url}/metrics`).toBe("200");
  });
});
