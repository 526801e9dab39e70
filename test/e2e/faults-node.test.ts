import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { containerStatuses } from "#test/node/container-statuses.ts";
import { account, groupsOfCheckout, labelledPod, namespace } from "#test/node/labelled-pod.ts";
import { applyExamples, operatorNamespace, runLabelledPod } from "#test/node/try-out.ts";
import { differencesFromPlatform } from "#test/support/harness/comparison.ts";
import { conditionOf, isReady, ref } from "#test/support/harness/muster-objects.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { allReady } from "./branch.ts";
import { describeWithMusterOnNode, podsOf, secondsOf } from "./muster-on-node.ts";
import { report } from "./report.ts";
import { isReadyPod } from "./restricted-pod.ts";

/** Ends with 3 if there is once no token, or one that is expired. */
const program = `
const { readFileSync } = require("node:fs");
setInterval(() => {
  try {
    const [, claims] = readFileSync(process.env.MUSTER_TOKEN_FILE, "utf8").split(".");
    if (JSON.parse(Buffer.from(claims, "base64url")).exp * 1000 > Date.now()) return;
    console.error("the token is expired");
  } catch (error) {
    console.error(error);
  }
  process.exit(3);
}, 100);
`;
const withoutToken = 3;

const podsWithToken = ["one", "two", "three"].map((name) =>
  labelledPod(name, { image: "muster:0.1.0", command: ["node", "-e", program] }, { restartPolicy: "Always" }),
);
const coredns = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "coredns", namespace: "kube-system" } };

describeWithMusterOnNode("a node with Muster and pods with tokens", (muster) => {
  const kube = () => muster().controlPlane.admin;
  const target = () => muster().cluster;
  const pods = () => kube().list({ apiVersion: "v1", kind: "Pod" });
  let runs = 0;
  let edits = 0;

  /** All containers of the cluster: another one has another id. */
  const containers = async () =>
    (await pods()).flatMap((pod) =>
      containerStatuses(pod).map(({ name, containerID }) => [pod.metadata.name, name, containerID]),
    );

  /** Creates a pod that uses its token, and edits a group. */
  async function everythingWorks(): Promise<void> {
    expect(await runLabelledPod(target(), `run-${++runs}`)).toBe(groupsOfCheckout);
    const description = `Edit ${++edits}`;
    await kube().patch(ref("Group", namespace, "shop"), { spec: { description } });
    await kube().waitFor(ref("Group", namespace, "shop"), isReady, { timeoutMs: 60_000 });
    await allReady(muster().controlPlane.admin, 60_000);
    expect(await differencesFromPlatform(muster())).toEqual([]);
  }

  async function expectNoTokenWasMissing(): Promise<void> {
    const ends = (await pods()).flatMap((pod) =>
      containerStatuses(pod).map(({ name, lastState }) => [pod.metadata.name, name, lastState.terminated?.exitCode]),
    );
    expect(ends.filter(([, , exitCode]) => exitCode === withoutToken)).toEqual([]);
  }

  it("runs pods with tokens", async () => {
    await applyExamples(target());
    await kube().apply(account);
    for (const pod of podsWithToken) await kube().create(pod);
    for (const pod of podsWithToken) await kube().waitFor(pod, isReadyPod, { timeoutMs: 60_000 });
    await everythingWorks();
  });

  it.each(["kubelet", "containerd"] as const)("keeps all containers while the %s is away", async (server) => {
    const before = await containers();
    const { faults } = muster().cluster;
    await faults.kill(server);
    await sleep(10_000);
    report(`${server} was killed: the node is Ready ${await secondsOf(() => faults.start(server))} s after its start`);
    await everythingWorks();
    expect(await containers()).toEqual(before);
    await expectNoTokenWasMissing();
  });

  it("says why while there is no DNS, and goes on when there is one", async () => {
    const servers = (await pods()).filter(({ metadata }) => metadata.namespace === coredns.metadata.namespace);
    await kube().patch(coredns, { spec: { replicas: 0 } });
    // Requests to one that is ending get no response, and then the operator's own deadline may be what it reports.
    for (const pod of servers) await kube().waitUntilGone(pod, { timeoutMs: 60_000 });
    const before = await containers();
    const description = "Edited without DNS";
    const edited = ref("Group", namespace, "checkout");
    await kube().patch(edited, { spec: { description } });
    const withConnection = await secondsOf(() => kube().waitFor(edited, isReady, { timeoutMs: 60_000 })).catch(
      () => "no",
    );
    report(`no DNS, and a connection to the platform: an edit is applied after ${withConnection} s`);
    const [operator] = await podsOf(muster(), "operator");
    if (operator === undefined) throw new Error("there is no pod of the operator");
    await kube().delete(operator);
    const tenant = await kube().waitFor(
      tenantRef("default"),
      (object) => conditionOf(object, "Ready")?.status !== "True",
      { timeoutMs: 60_000 },
    );
    const { reason, message } = conditionOf(tenant, "Ready") ?? {};
    report(`no DNS, and a new operator: ${reason}: ${message}`);
    expect(message).toContain("muster-platform.muster-system.svc");
    await kube().patch(edited, { spec: { description: "Edited again" } });
    await kube().patch(coredns, { spec: { replicas: 1 } });
    const seconds = await secondsOf(async () => {
      await kube().waitFor(coredns, (object) => object?.["status"].availableReplicas === 1, { timeoutMs: 60_000 });
      await kube().waitFor(edited, isReady, { timeoutMs: 120_000 });
    });
    report(`the DNS is back: the edit is applied ${seconds} s after its start`);
    await everythingWorks();
    const others = (list: Awaited<ReturnType<typeof containers>>) =>
      list.filter(([pod]) => !String(pod).startsWith("coredns") && !String(pod).startsWith("muster-operator"));
    expect(others(await containers())).toEqual(others(before));
  });

  it("has everything again when all its processes were killed", async () => {
    const uids = async () => new Set((await pods()).map(({ metadata }) => metadata.uid));
    const uidsBefore = await uids();
    const before = new Set((await containers()).map(([, , id]) => id));
    report(
      `all processes were killed: the node is Ready after ${await secondsOf(() => muster().cluster.faults.restart())} s`,
    );
    const seconds = await secondsOf(async () => {
      for (const pod of await pods())
        await kube().waitFor(
          pod,
          (object) =>
            object !== undefined &&
            isReadyPod(object) &&
            containerStatuses(object).every(
              ({ containerID, state }) => state.running !== undefined && !before.has(containerID),
            ),
          { timeoutMs: 120_000 },
        );
    });
    report(`all processes were killed: all pods are Ready with new containers after ${seconds} s more`);
    // An API server that has just started looks for the kinds of CRDs, and refuses pods with the label until it has found the Identity's.
    const created = labelledPod("dry-run", { image: "muster:0.1.0" });
    const admitted = await secondsOf(() =>
      vi.waitFor(() => kube().create(created, { dryRun: true }), { timeout: 60_000, interval: 500 }),
    );
    report(`… and a pod with the label is admitted after ${admitted} s more`);
    report(`… and everything works after ${await secondsOf(everythingWorks)} s more`);
    expect(await uids()).toEqual(uidsBefore);
    await expectNoTokenWasMissing();
    expect(
      (await kube().list({ apiVersion: "apps/v1", kind: "StatefulSet" }, { namespace: operatorNamespace }))[0]?.[
        "status"
      ].readyReplicas,
    ).toBe(1);
  });
});
