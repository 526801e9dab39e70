import { beforeAll, expect, it, vi } from "vitest";
import {
  account,
  type Fields,
  groupsOfCheckout,
  labels as identity,
  logOf,
  namespace,
  outputOfEnded,
  podSpec,
  reader,
} from "#test/node/labelled-pod.ts";
import { applyExamples, imageOf, installTryOut, operatorNamespace } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithTarget } from "./describe-with-target.ts";

const pods = { apiVersion: "v1", kind: "Pod" };
const timeoutMs = 110_000;

/** Uses the token at once, and then ten times a second. The first failure ends it. */
const usesForever = 'while node -e "$READ"; do sleep 0.1; done';

const object = (apiVersion: string, kind: string, name: string, spec: Fields): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
  spec,
});

describeWithTarget("the pods of a controller", (target) => {
  beforeAll(async () => {
    await installTryOut(target());
    await applyExamples(target());
    await target().admin.apply(account);
  });

  const image = () => imageOf(target());
  /** A template whose pods also have the label that selects them. */
  const template = (app: string, spec: Fields, annotations: Readonly<Record<string, string>> = {}) => ({
    metadata: { labels: { ...identity, app }, annotations },
    spec,
  });
  const selected = async (app: string) =>
    (await target().admin.list(pods, { namespace })).filter(({ metadata }) => metadata.labels?.["app"] === app);
  /** Deletes an object, and waits until its pods are gone. */
  async function remove(created: KubeObject, app: string): Promise<void> {
    const { admin } = target();
    await admin.request("DELETE", await admin.pathOf(created), { body: { propagationPolicy: "Background" } });
    await vi.waitFor(async () => expect(await selected(app)).toEqual([]), { timeout: timeoutMs, interval: 500 });
  }

  it("keep their token while a Deployment of three replicas rolls out", { timeout: 300_000 }, async () => {
    const { admin } = target();
    const deployment = (version: string) =>
      object("apps/v1", "Deployment", "rollout", {
        replicas: 3,
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        selector: { matchLabels: { app: "rollout" } },
        template: template("rollout", podSpec(reader(image(), usesForever)), { version }),
      });
    const rolledOut = async (version: string) => {
      await admin.apply(deployment(version));
      await admin.waitFor(
        deployment(version),
        (one) => {
          const { observedGeneration, replicas, updatedReplicas, availableReplicas } = one?.["status"] ?? {};
          return (
            observedGeneration === one?.metadata.generation &&
            [replicas, updatedReplicas, availableReplicas].every((count) => count === 3)
          );
        },
        { timeoutMs },
      );
    };
    try {
      await rolledOut("1");
      await rolledOut("2");
      const running = await selected("rollout");
      expect(running.map(({ metadata }) => metadata.annotations?.["version"])).toContain("2");
      for (const pod of running) {
        // A container that failed once has been started again.
        const [{ restartCount }] = pod["status"].containerStatuses;
        expect(restartCount).toBe(0);
        await vi.waitFor(async () => expect(await logOf(admin, pod, "app")).toContain(groupsOfCheckout), {
          timeout: 20_000,
          interval: 200,
        });
      }
    } finally {
      await remove(deployment("2"), "rollout");
    }
  });

  it("have a token in a StatefulSet, and again after the pod was deleted", async () => {
    const { admin } = target();
    const set = object("apps/v1", "StatefulSet", "stateful", {
      serviceName: "stateful",
      selector: { matchLabels: { app: "stateful" } },
      template: template("stateful", podSpec(reader(image(), usesForever))),
    });
    const pod = { ...pods, metadata: { name: "stateful-0", namespace } };
    const usesToken = async (after?: string) => {
      await admin.waitFor(
        pod,
        (one) => one !== undefined && one.metadata.uid !== after && one["status"].phase === "Running",
        { timeoutMs },
      );
      await vi.waitFor(async () => expect(await logOf(admin, pod, "app")).toContain(groupsOfCheckout), {
        timeout: 20_000,
        interval: 200,
      });
    };
    try {
      await admin.apply(set);
      await usesToken();
      const { uid } = (await admin.get(pod)).metadata;
      await admin.delete(pod);
      await usesToken(uid);
    } finally {
      await remove(set, "stateful");
    }
  });

  const once = (app: string) => ({
    backoffLimit: 0,
    template: template(app, podSpec(reader(image()), { restartPolicy: "Never" })),
  });

  it("let a Job complete, which their agent does not outlive", async () => {
    const { admin } = target();
    const job = object("batch/v1", "Job", "job", once("job"));
    try {
      await admin.apply(job);
      await admin.waitFor(job, (one) => one?.["status"]?.succeeded === 1, { timeoutMs });
      const [pod] = await selected("job");
      expect(await logOf(admin, pod ?? job, "app")).toBe(groupsOfCheckout);
    } finally {
      await remove(job, "job");
    }
  });

  it("have a token in each run of a CronJob", { timeout: 180_000 }, async () => {
    const { admin } = target();
    const cronJob = object("batch/v1", "CronJob", "cron", {
      schedule: "* * * * *",
      concurrencyPolicy: "Forbid",
      jobTemplate: { spec: once("cron") },
    });
    try {
      await admin.apply(cronJob);
      await admin.waitFor(cronJob, (one) => one?.["status"]?.lastSuccessfulTime !== undefined, { timeoutMs });
      const [pod] = await selected("cron");
      expect(await outputOfEnded(admin, pod ?? cronJob)).toBe(groupsOfCheckout);
    } finally {
      await remove(cronJob, "cron");
    }
  });

  it("say in an event why there is no token, and start when the platform is back", { timeout: 300_000 }, async () => {
    const { admin } = target();
    const sets = await admin.list({ apiVersion: "apps/v1", kind: "StatefulSet" }, { namespace: operatorNamespace });
    const [platform] = sets.filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/component"] === "platform");
    if (platform === undefined) throw new Error("the chart has no StatefulSet of the platform");
    const scale = async (replicas: number) => {
      await admin.patch(platform, { spec: { replicas } }, "scale");
      await admin.waitFor(platform, (one) => (one?.["status"]?.readyReplicas ?? 0) === replicas, { timeoutMs });
    };
    const job = object("batch/v1", "Job", "waiting", once("waiting"));
    try {
      await scale(0);
      await admin.apply(job);
      await vi.waitFor(
        async () => {
          const events = await admin.list({ apiVersion: "v1", kind: "Event" }, { namespace });
          const messages = events
            .filter((event) => event["reason"] === "Unhealthy" && event["involvedObject"].name.startsWith("waiting-"))
            .map((event) => event["message"]);
          expect(messages).toContainEqual(
            expect.stringMatching(/Startup probe failed: .*the token service at http\S+ is not available: /s),
          );
        },
        { timeout: 60_000, interval: 500 },
      );
      await scale(1);
      await admin.waitFor(job, (one) => one?.["status"]?.succeeded === 1, { timeoutMs });
    } finally {
      await scale(1);
      await remove(job, "waiting");
    }
  });
});
