import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent, fetch } from "undici";
import { parseAllDocuments } from "yaml";
import { finalizer } from "#src/api/custom-resource.ts";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { describeWithNewControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { exampleManifests, examples } from "#test/support/harness/examples.ts";
import { allMusterKinds, isReady } from "#test/support/harness/muster-objects.ts";
import type { MusterProcess } from "#test/support/harness/muster-process.ts";
import { tenantRef } from "#test/support/harness/tenants.ts";
import { policyInEffect } from "./admission-policy.ts";
import { applyDefinitions } from "./definitions.ts";
import { helm, release, renderChart } from "./helm.ts";
import { HookRunner } from "./hook-runner.ts";
import { kustomize } from "./kustomize.ts";
import { permissionsOf, usedPermissions } from "./permissions.ts";
import { runWorkload } from "./run-workload.ts";
import { Workload } from "./workload.ts";

/** The root group of both installations, to which `examples/` refer. */
const root = "0".repeat(40);
const inNamespace = ["--namespace", release.namespace];
const namespaceObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: release.namespace } };

/**
 * These tests take the place of the kubelet: they run the containers' commands with the arguments, environment, files and
 * tokens that the manifests define. Only addresses and the paths of files differ from a cluster.
 */
describeWithNewControlPlane(
  "what is there to try Muster",
  (controlPlane) => {
    let folder = "";
    const running: MusterProcess[] = [];
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "muster-try-out-"));
    });
    afterAll(async () => {
      await Promise.all(running.map((process) => process.kill()));
      await rm(folder, { recursive: true });
    });

    interface Started {
      readonly platformUrl: string;
      readonly operatorUrl: string;
    }

    /** Runs the platform and the operator of an installation. @param into a folder for its files */
    async function start(objects: readonly KubeObject[], platformName: string, into: string): Promise<Started> {
      const at = { controlPlane: controlPlane(), folder: join(folder, into) };
      const listen = "127.0.0.1:0";
      const platformPod = new Workload(objects, "StatefulSet", platformName);
      const platformEnv = { MUSTER_LISTEN: listen, MUSTER_HEALTH_LISTEN: listen, MUSTER_BASE_URL: "" };
      const platform = await runWorkload(platformPod, { ...at, env: platformEnv });
      running.push(platform);
      const { address, healthAddress } = await platform.logged("listening");
      const platformUrl = `http://${String(address)}`;
      const operatorPod = new Workload(objects, "Deployment", "muster-operator");
      const env = { MUSTER_LISTEN: listen, MUSTER_PLATFORM_URL: platformUrl };
      const operator = await runWorkload(operatorPod, { ...at, env });
      running.push(operator);
      const operatorUrl = String((await operator.logged("listening"))["address"]);
      await operator.logged("caches synced");
      for (const [workload, url] of [
        [operatorPod, operatorUrl],
        [platformPod, String(healthAddress)],
      ] as const)
        for (const path of workload.probePaths) expect((await fetch(url + path)).status, path).toBe(200);
      return { platformUrl, operatorUrl };
    }

    async function stop(): Promise<void> {
      await Promise.all(running.splice(0).map((process) => process.stop()));
    }

    async function applyExamples(): Promise<readonly KubeObject[]> {
      const { admin } = controlPlane();
      const declared = await examples(root);
      for (const object of declared) await admin.apply(object);
      for (const object of declared) await admin.waitFor(object, isReady);
      return declared;
    }

    async function deleteExamples(declared: readonly KubeObject[]): Promise<void> {
      const { admin } = controlPlane();
      for (const object of declared) await admin.delete(object);
      for (const object of declared) await admin.waitUntilGone(object);
    }

    describe("the chart muster-try-out", () => {
      let objects: readonly KubeObject[] = [];
      let started: Started | undefined;
      let hooks: HookRunner;
      let declared: readonly KubeObject[] = [];
      const cluster = () => ["--kubeconfig", controlPlane().kubeconfigFile, ...inNamespace];

      it("is installed with one command, in a namespace that enforces the restricted Pod Security Standard", async () => {
        const { admin } = controlPlane();
        const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
        await admin.apply({ ...namespaceObject, metadata: { ...namespaceObject.metadata, labels } });
        await admin.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
        const notes = await helm(["install", release.name, "muster-try-out", ...cluster()]);
        expect(notes).toContain("kubectl apply -f examples/");
        const parts = await Promise.all(
          ["manifest", "hooks"].map((part) => helm(["get", part, release.name, ...cluster()])),
        );
        objects = parts
          .flatMap((text) => parseAllDocuments(text))
          .flatMap((one) => (one.toJS() as KubeObject | null) ?? []);
        hooks = new HookRunner(objects, { controlPlane: controlPlane(), folder: join(folder, "hooks") });
      });

      it("has pods that satisfy the standard", async () => {
        const { admin } = controlPlane();
        const workloads = objects.filter(({ kind }) => ["Deployment", "StatefulSet", "Job"].includes(kind));
        expect(workloads.length).toBe(3);
        for (const { kind, metadata, spec } of workloads) {
          const volumes = [...(spec.template.spec.volumes ?? []), { name: "data", emptyDir: {} }];
          const pod = { ...spec.template.spec, serviceAccountName: "default", volumes };
          const name = { name: "example", namespace: release.namespace };
          const created = await admin.create(
            { apiVersion: "v1", kind: "Pod", metadata: { ...spec.template.metadata, ...name }, spec: pod },
            { dryRun: true },
          );
          expect(created["spec"].containers[0].securityContext.readOnlyRootFilesystem, `${kind} ${metadata.name}`).toBe(
            true,
          );
        }
      });

      it("makes examples/ Ready, without a step by hand", async () => {
        started = await start(objects, "muster-platform", "helm");
        await policyInEffect(controlPlane().admin);
        declared = await applyExamples();
        for (const object of declared) {
          const { metadata } = await controlPlane().admin.get(object);
          expect(metadata.finalizers).toEqual([finalizer]);
        }
      });

      it("injects the agent into a labelled pod, with the image of the release", async () => {
        const { admin } = controlPlane();
        const account = { name: "checkout", namespace: "shop" };
        await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
        const pod = {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { ...account, labels: { "iam.muster.dev/identity": "checkout" } },
          spec: { serviceAccountName: "checkout", containers: [{ name: "app", image: "app" }] },
        };
        const created = await admin.create(pod, { dryRun: true });
        const { image } = new Workload(objects, "Deployment", "muster-operator").pod.containers[0];
        expect(created["spec"].initContainers).toMatchObject([{ name: "muster-agent", image }]);
      });

      it("passes helm test, which fails while the operator cannot be reached", async () => {
        const addresses = {
          MUSTER_OPERATOR_URL: started?.operatorUrl ?? "",
          MUSTER_PLATFORM_URL: started?.platformUrl ?? "",
        };
        const test = ["test", release.name, ...cluster(), "--timeout", "60s"];
        const wrong = { ...addresses, MUSTER_OPERATOR_URL: "http://127.0.0.1:9", MUSTER_TOKEN_FILE: "/nonexistent" };
        const [failed, run] = await Promise.all([
          helm(test).catch((error: Error) => error.message),
          hooks.runPod("muster-operator-check", wrong),
        ]);
        expect(failed).toContain("failed");
        expect(run.plainOutput).toContain("the operator does not respond at http://127.0.0.1:9/readyz");
        expect(run.plainOutput).toContain("the token file /nonexistent cannot be read");
        const [output] = await Promise.all([helm(test), hooks.runPod("muster-operator-check", addresses)]);
        expect(output).toMatch(/Phase:\s+Succeeded/);
      });

      it("changes nothing that restarts a pod when it is upgraded without a change", async () => {
        const { admin } = controlPlane();
        const workloads = objects.filter(({ kind }) => ["Deployment", "StatefulSet", "Tenant"].includes(kind));
        const generations = async () =>
          Promise.all(workloads.map(async (one) => (await admin.get(one)).metadata.generation));
        const before = await generations();
        await helm(["upgrade", release.name, "muster-try-out", ...cluster()]);
        expect(await generations()).toEqual(before);
      });

      it("makes the examples of the other kinds Ready, once the Tenant permits them", async () => {
        const { admin } = controlPlane();
        const tenant = await admin.get(tenantRef("default"));
        const { claimIssuers } = tenant["spec"];
        const spec = {
          kinds: allMusterKinds,
          awsAccounts: ["123456789012"],
          googleProjects: [{ projectId: "acme-shop", projectNumber: "123456789012" }],
          claimIssuers: [...claimIssuers, { issuer: "https://login.example.com" }],
        };
        await admin.patch(tenant, { spec });
        const folders = ["roles/", "accounts/", "login/", "invites/"];
        const manifests = (await Promise.all(folders.map((one) => exampleManifests(root, one)))).flat();
        for (const object of manifests) await admin.apply(object);
        const added = manifests.filter(({ apiVersion }) => apiVersion.startsWith("iam.muster.dev/"));
        for (const object of added) await admin.waitFor(object, isReady);
        declared = [...declared, ...added];
      });

      it("cannot be uninstalled while objects need the operator; the message says what to do", async () => {
        const { admin } = controlPlane();
        const [failed, check] = await Promise.all([
          helm(["uninstall", release.name, ...cluster(), "--timeout", "60s"]).catch((error: Error) => error.message),
          hooks.runJob("muster-uninstall"),
        ]);
        expect(failed).toContain("muster-uninstall");
        // One command: a group waits for what is in it.
        const [command = "", ...others] = check.plainOutput.match(/kubectl delete [\w.,]+ --all/g) ?? [];
        expect(command.match(/\w+\.iam\.muster\.dev/g)).toHaveLength(allMusterKinds.length);
        expect(others).toEqual([]);
        expect(await admin.find(finalizerPolicy(objects))).toBeDefined();
        expect(await admin.find(deployment(objects))).toBeDefined();
      });

      it("is uninstalled after them; Tenants and CRDs stay, and nothing else", async () => {
        const { admin } = controlPlane();
        await deleteExamples(declared);
        await stop();
        const [output, check] = await Promise.all([
          helm(["uninstall", release.name, ...cluster(), "--timeout", "60s"]),
          hooks.runJob("muster-uninstall"),
        ]);
        expect(check.plainOutput).toContain("it can be uninstalled");
        expect(check.plainOutput).not.toContain("the next operator waits");
        expect(output).toContain("[Tenant] default");
        const left = await Promise.all(
          objects.map(async (one) => ((await admin.find(one)) === undefined ? [] : [one.kind])),
        );
        expect(left.flat()).toEqual(["Tenant"]);
        expect(
          (await admin.list({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" })).length,
        ).toBe((await readdir(new URL("../../crds/", import.meta.url))).length);
      });

      it("gave the check before uninstalling exactly the permissions that it used", async () => {
        const user = `system:serviceaccount:${release.namespace}:muster-uninstall`;
        const counts = (await controlPlane().requestCounts()).filter((row) => row.user === user);
        expect(counts.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
        const roles = objects.filter(
          ({ kind, metadata }) => ["ClusterRole", "Role"].includes(kind) && metadata.name === "muster-uninstall",
        );
        expect(roles).toHaveLength(2);
        expect(usedPermissions(counts)).toEqual(roles.flatMap(permissionsOf).toSorted());
      });
    });

    let operatorUrl = "";
    // The CRDs and the Tenant of the chart are still there.
    it("the Kustomize overlay makes examples/ Ready, without a step by hand", async () => {
      const { admin } = controlPlane();
      await applyDefinitions(admin);
      const overlay = await kustomize("overlays/try-out");
      for (const object of overlay) await admin.apply(object);
      ({ operatorUrl } = await start(overlay, "platform", "kustomize"));
      await applyExamples();
    });

    describeWithPostgres("the chart's platform with PostgreSQL and TLS", (postgres) => {
      it("runs in two replicas, and accepts the operator's token over TLS", async () => {
        const { admin } = controlPlane();
        const { key, certificate } = selfSignedCertificate();
        const stringData = {
          tls: { "tls.crt": certificate, "tls.key": key, "ca.crt": certificate },
          database: { uri: await postgres().newDatabase() },
          "platform-key": { "platform.key": randomBytes(32).toString("base64") },
        };
        const secrets = Object.entries(stringData).map(([name, data]) => ({
          apiVersion: "v1",
          kind: "Secret",
          metadata: { name, namespace: release.namespace },
          stringData: data,
        }));
        const rendered = await renderChart("muster", {
          settings: { allowedRole: ["viewer"] },
          platform: {
            enabled: true,
            replicas: 2,
            database: {
              existingSecret: "database",
              urlKey: "uri",
              keyFileSecret: "platform-key",
              keyFileKey: "platform.key",
            },
            tls: { secretName: "tls" },
          },
        });
        for (const one of rendered) if (one.kind === "ServiceAccount") await admin.apply(one);
        const pod = new Workload([...rendered, ...secrets], "StatefulSet", "muster-platform");
        const listen = "127.0.0.1:0";
        const env = { MUSTER_LISTEN: listen, MUSTER_HEALTH_LISTEN: listen, MUSTER_BASE_URL: "" };
        const at = (name: string) => ({ controlPlane: controlPlane(), folder: join(folder, name) });
        const replicas = [];
        for (const name of ["replica-0", "replica-1"]) {
          const process = await runWorkload(pod, { ...at(name), env });
          running.push(process);
          const { address, healthAddress } = await process.logged("listening");
          replicas.push(`https://${String(address)}`);
          for (const path of pod.probePaths) expect((await fetch(String(healthAddress) + path)).status).toBe(200);
        }
        const dispatcher = new Agent({ connect: { ca: certificate } });
        const adminToken = await readFile(
          join(folder, "replica-0/StatefulSet-muster-platform/data/admin-token"),
          "utf8",
        );
        for (const url of replicas) {
          const headers = { authorization: `Bearer ${adminToken.trim()}` };
          expect((await fetch(`${url}/iam/v2beta1/groups`, { dispatcher, headers })).status).toBe(200);
        }
        await dispatcher.close();

        const check = new Workload([...rendered, ...secrets], "Pod", "muster-operator-check");
        const addresses = { MUSTER_OPERATOR_URL: operatorUrl, MUSTER_PLATFORM_URL: replicas[1] ?? "" };
        const run = await runWorkload(check, { ...at("check"), env: addresses });
        await run.ended;
        expect([run.exitCode, run.plainOutput]).toEqual([0, expect.stringContaining("can assume its identity")]);
      });
    });
  },
  { audit: true },
);

const ofKind = (objects: readonly KubeObject[], kind: string) =>
  objects.find((object) => object.kind === kind) ?? expect.fail(`no ${kind}`);
const finalizerPolicy = (objects: readonly KubeObject[]) => ofKind(objects, "MutatingAdmissionPolicy");
const deployment = (objects: readonly KubeObject[]) => ofKind(objects, "Deployment");
