import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { apiVersion } from "#src/api/custom-resource.ts";
import { describeWithControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import type { KubeClient, KubeObject } from "#test/support/control-plane/kube-client.ts";
import { program, programEnvironment } from "#test/support/harness/program.ts";
import { comparable, withoutServerFields } from "./comparable-pod.ts";
import { applyDefinitions } from "./definitions.ts";
import { kustomize } from "./kustomize.ts";
import { createIdentities, namespace, uid } from "./pod-identities.ts";
import { injected, podOf, type PodShape, refused, refusedWithAuthorities } from "./pod-shapes.ts";
import { refusal } from "./users.ts";

const run = promisify(execFile);

const label = "iam.muster.dev/identity";
const podNamed = (shape: PodShape, index: number) => podOf(shape, `pod-${index}`, namespace) as KubeObject;
/** That of the operator in the overlay. */
const agentImage = ["--agent-image", "muster:0.1.0"];
/** What an administrator of a cluster with a proxy and authorities of its own sets: for the policy, and for `muster inject`. */
const settings: Readonly<Record<string, unknown>> = {
  env: [
    { name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" },
    { name: "NO_PROXY", value: ".svc,10.96.0.0/12" },
  ],
  platformCa: { configMap: "company-ca", key: "bundle.pem" },
};
const settingsOfCommand = [
  "--agent-env=HTTPS_PROXY=http://proxy.example.com:3128",
  "--agent-env=NO_PROXY=.svc,10.96.0.0/12",
  "--platform-ca-config-map=company-ca",
  "--platform-ca-key=bundle.pem",
];
const plain = { apiVersion: "v1", kind: "Pod", metadata: { name: "plain", namespace } };
const container = { name: "app", image: "example/app:1" };
const waiting = { timeout: 60_000, interval: 100 };

describeWithControlPlane("deploy/kustomize/components/pod-injection", (controlPlane) => {
  let folder = "";
  let admin: KubeClient;
  /** What the API server makes of what `muster inject` prints, before the policies exist. */
  let fromCommand: readonly KubeObject[] = [];
  /** The message of `muster inject` about each refused pod. */
  let refusedByCommand: readonly string[] = [];
  /** Both with the settings. */
  let withSettings: readonly KubeObject[] = [];
  let refusedWithSettings: readonly string[] = [];
  let unlabelledBefore: KubeObject;
  const labelledBefore = podOf({ title: "" }, "before", namespace) as KubeObject;

  beforeAll(async () => {
    ({ admin } = controlPlane());
    folder = await mkdtemp(join(tmpdir(), "muster-injection-"));
    await applyDefinitions(admin);
    await createIdentities(admin);
    const created = (pods: readonly KubeObject[]) =>
      Promise.all(pods.map((pod) => admin.create(pod, { dryRun: true })));
    fromCommand = await created((await inject(injected.map(podNamed))).objects);
    refusedByCommand = (await inject(refused.map(podNamed))).problems;
    const args = ["--kubeconfig", controlPlane().kubeconfigFile, ...settingsOfCommand];
    withSettings = await created((await inject(injected.map(podNamed), args)).objects);
    refusedWithSettings = (await inject(refusedWithAuthorities.map(podNamed), args)).problems;
    unlabelledBefore = await admin.create({ ...plain, spec: { containers: [container] } }, { dryRun: true });
    await admin.create(labelledBefore);

    for (const policy of await component()) await admin.apply(policy);
    // The API server starts to enforce policies a moment after their creation.
    await vi.waitFor(async () => {
      const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
      expect(pod["spec"].initContainers).toHaveLength(1);
      expect(await refusal(admin.create(podNamed({ title: "", identity: "missing" }, 0), { dryRun: true }))).toContain(
        "muster-identity-required",
      );
    }, waiting);
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs `muster inject` on one file with all pods, with the kubeconfig. */
  async function inject(
    pods: readonly object[],
    args = ["--kubeconfig", controlPlane().kubeconfigFile],
  ): Promise<{ objects: KubeObject[]; problems: string[] }> {
    const file = join(folder, "pods.yaml");
    await writeFile(file, pods.map((pod) => stringify(pod)).join("---\n"));
    const result = await run(process.execPath, [program, "inject", "-f", file, ...agentImage, ...args], {
      maxBuffer: 2 ** 24,
      env: { ...process.env, ...programEnvironment },
    }).catch((error: { stdout: string; stderr: string }) => error);
    return {
      objects: parseAllDocuments(result.stdout).map((document) => document.toJS() as KubeObject),
      problems: result.stderr.trim().split("\n"),
    };
  }

  it("is accepted by the API server without warnings about types", async () => {
    for (const policy of (await component()).filter(({ kind }) => kind === "ValidatingAdmissionPolicy")) {
      const checked = await admin.waitFor(policy, (seen) => seen?.["status"]?.observedGeneration !== undefined);
      expect(checked?.["status"].typeChecking?.expressionWarnings ?? []).toEqual([]);
    }
  });

  describe.each(injected.map((shape, index) => ({ ...shape, index })))("$title", (shape) => {
    it("gets the identity, and the same from muster inject", async () => {
      const pod = await admin.create(podNamed(shape, shape.index), { dryRun: true });
      expect(comparable(pod)).toEqual(comparable(fromCommand[shape.index]));
      const names = pod["spec"].initContainers?.map(({ name }: { name: string }) => name) ?? [];
      expect(names.indexOf("muster-agent")).toBe(shape.annotations === undefined ? 0 : -1);
      const before = podNamed(shape, shape.index)["spec"];
      expect(names.slice(names.length - (before.initContainers?.length ?? 0))).toEqual(
        before.initContainers?.map(({ name }: { name: string }) => name) ?? [],
      );
      for (const { env } of pod["spec"].containers) expect(env).toContainEqual({ name: "MUSTER_IDENTITY", value: uid });
      const volumes = new Map(pod["spec"].volumes.map((volume: { name: string }) => [volume.name, volume]));
      expect(volumes.get("muster-source")).toMatchObject({
        projected: { sources: [{ serviceAccountToken: { audience: "auth.example", path: "token" } }] },
      });
    });
  });

  describe.each(refused.map((shape, index) => ({ ...shape, index })))("$title", (shape) => {
    it("is refused with a message that names Identity, cause and fix, as muster inject is", async () => {
      const pod = podNamed(shape, shape.index);
      const message = await refusal(admin.create(pod, { dryRun: true }));
      expect(message).toContain(`Identity ${shape.identity ?? "checkout"} in namespace shop `);
      expect(message).toContain(shape.because);
      const [, reported = ""] = (refusedByCommand[shape.index] ?? "").split(`Pod ${pod.metadata.name}: `);
      expect(message).toContain(`denied request: ${reported}`);
      expect(reported).not.toBe("");
    });
  });

  it("runs the agent as the user of the pod, which OpenShift may choose, and never as root", async () => {
    const userIn = async (securityContext: object) => {
      const pod = await admin.create(podNamed({ title: "", spec: { securityContext } }, 0), { dryRun: true });
      return pod["spec"].initContainers[0].securityContext;
    };
    for (const context of [{}, { runAsUser: 10_001 }])
      expect(Object.keys(await userIn(context))).not.toContain("runAsUser");
    expect(await userIn({ runAsUser: 0 })).toMatchObject({ runAsUser: 65_532, runAsNonRoot: true });
  });

  it("does not touch a pod without the label", async () => {
    const pod = await admin.create({ ...plain, spec: { containers: [container] } }, { dryRun: true });
    expect(comparable(pod)).toEqual(comparable(unlabelledBefore));
  });

  it("refuses an empty label", async () => {
    const pod = podNamed({ title: "", identity: "" }, 0);
    expect(await refusal(admin.create(pod))).toContain(`metadata.labels[${label}] of the pod is empty. Set it to`);
  });

  it("changes nothing in a pod that is created again from its own manifest", async () => {
    const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
    const again = await admin.create(withoutServerFields(pod), { dryRun: true });
    expect(comparable(again)).toEqual(comparable(pod));
  });

  it("brings up to date the manifest of a pod that was injected for an earlier Identity of the same name", async () => {
    const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
    const earlier = JSON.parse(
      JSON.stringify(withoutServerFields(pod))
        .replaceAll(uid, uid.replaceAll("1", "2"))
        .replace('"auth.example"', '"old"'),
    ) as KubeObject;
    expect(JSON.stringify(earlier)).toContain("2222");
    expect(comparable(await admin.create(earlier, { dryRun: true }))).toEqual(comparable(pod));
  });

  it("leaves the mirror of a static pod alone, which runs already", async () => {
    const mirror = {
      ...plain,
      metadata: {
        ...plain.metadata,
        labels: { [label]: "checkout" },
        annotations: { "kubernetes.io/config.mirror": "1" },
      },
      spec: { nodeName: "node", containers: [container] },
    };
    expect((await admin.create(mirror, { dryRun: true }))["spec"].volumes).toBeUndefined();
  });

  it("refuses to add the label to a pod, or to change it, and permits every other change", async () => {
    const pod = { ...plain, metadata: { ...plain.metadata, name: "unlabelled" }, spec: { containers: [container] } };
    await admin.create(pod);
    const labelled = { metadata: { labels: { [label]: "checkout" } } };
    expect(await refusal(admin.patch(pod, labelled))).toContain("the label has an effect only when a pod is created");
    // It was created before the policies, and is not injected.
    await admin.patch(labelledBefore, { metadata: { annotations: { changed: "yes" } } });
    await admin.patch(labelledBefore, { metadata: { labels: { [label]: null } } });
  });

  it.each(["restricted", "baseline"])("gives an identity to a pod that Pod Security %s admits", async (level) => {
    const shape = injected.find(({ title }) => title.includes("Pod Security restricted")) ?? { title: "" };
    const pod = podOf(shape, "secure", level) as KubeObject;
    expect((await admin.create(pod, { dryRun: true }))["spec"].initContainers).toHaveLength(1);
  });

  it("gives the same to the pod of a manifest that was injected with --identity, without the cluster", async () => {
    const given = [
      "--identity",
      uid,
      "--platform-url",
      "https://platform.example",
      "--auth-url",
      "https://auth.example",
    ];
    const { objects } = await inject([podNamed({ title: "" }, 0)], given);
    const [pod] = objects;
    expect(comparable(await admin.create(pod as KubeObject, { dryRun: true }))).toEqual(comparable(fromCommand[0]));
    // No Identity of this name is needed where the uid is given.
    const elsewhere = { ...(pod as KubeObject), metadata: { ...(pod as KubeObject).metadata, namespace: "baseline" } };
    const named = { ...elsewhere, metadata: { ...elsewhere.metadata, labels: { [label]: "of-another-cluster" } } };
    expect((await admin.create(named, { dryRun: true }))["spec"].initContainers).toHaveLength(1);
  });

  it("warns of an Identity whose name is too long for a label", async () => {
    const named = (name: string) =>
      warnings(`${apiVersion}/namespaces/${namespace}/identities`, {
        apiVersion,
        kind: "Identity",
        metadata: { name, namespace },
        spec: { groupUid: "a".repeat(40), serviceAccountRef: { name: "checkout" } },
      });
    expect(await named("a".repeat(64))).toContain("no pod can name this Identity");
    expect(await named("a".repeat(63))).toBe("");
  });

  it.each([
    ["apps/v1", "Deployment", "deployments", "spec.template"],
    ["batch/v1", "Job", "jobs", "spec.template"],
    ["batch/v1", "CronJob", "cronjobs", "spec.jobTemplate.spec.template"],
  ])("warns of the label of a %s %s whose pods do not have it", async (group, kind, plural, path) => {
    const post = (own: object, ofPods: object) => {
      const template = {
        metadata: { labels: { app: "checkout", ...ofPods } },
        spec: {
          serviceAccountName: "checkout",
          restartPolicy: kind === "Deployment" ? "Always" : "Never",
          containers: [container],
        },
      };
      const job = { template };
      const spec = {
        Deployment: { selector: { matchLabels: { app: "checkout" } }, template },
        Job: job,
        CronJob: { schedule: "0 0 * * *", jobTemplate: { spec: job } },
      }[kind];
      const object = { apiVersion: group, kind, metadata: { name: "checkout", namespace, labels: own }, spec };
      return warnings(`${group}/namespaces/${namespace}/${plural}`, object);
    };
    const labels = { [label]: "checkout" };
    expect(await post(labels, {})).toContain(`has no effect here. Set it in ${path}.metadata.labels`);
    expect(await post(labels, labels)).toBe("");
    expect(await post({}, labels)).toBe("");
    expect(await post({}, {})).toBe("");
  });

  describe("with a proxy and certificate authorities", () => {
    beforeAll(async () => {
      const policies = await component();
      for (const policy of policies.filter(({ kind }) => kind === "MutatingAdmissionPolicy"))
        await admin.apply(withVariables(policy, settings));
      await vi.waitFor(async () => {
        const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
        expect(pod["spec"].volumes).toContainEqual({
          name: "muster-ca",
          configMap: { name: "company-ca", items: [{ key: "bundle.pem", path: "ca.crt" }], defaultMode: 0o644 },
        });
      }, waiting);
    });

    it("gives each of these pods the same as muster inject", async () => {
      const pods = await Promise.all(
        injected.map((shape, index) => admin.create(podNamed(shape, index), { dryRun: true })),
      );
      expect(pods.map(comparable)).toEqual(withSettings.map(comparable));
      expect(pods.length).toBeGreaterThanOrEqual(30);
      for (const [index, pod] of pods.entries()) {
        const authorities = { name: "MUSTER_PLATFORM_CA", value: "/var/run/muster/ca/ca.crt" };
        const agent = pod["spec"].initContainers?.find(({ name }: { name: string }) => name === "muster-agent");
        expect(agent === undefined).toBe(injected[index]?.annotations !== undefined);
        if (agent !== undefined) expect(agent.env.slice(-3)).toEqual([authorities, ...(settings["env"] as object[])]);
        for (const { env } of pod["spec"].containers) {
          expect(env).toContainEqual(authorities);
          // An application has its own proxy.
          expect(JSON.stringify(env)).not.toContain("PROXY");
        }
      }
    });

    it("changes nothing in a pod that is created again from its own manifest", async () => {
      const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
      const again = await admin.create(withoutServerFields(pod), { dryRun: true });
      expect(comparable(again)).toEqual(comparable(pod));
    });

    it.each(refusedWithAuthorities.map((shape, index) => ({ ...shape, index })))("refuses $title", async (shape) => {
      const message = await refusal(admin.create(podNamed(shape, shape.index), { dryRun: true }));
      expect(message).toContain(shape.because);
      const [, reported = ""] = (refusedWithSettings[shape.index] ?? "").split(`Pod pod-${shape.index}: `);
      expect(message).toContain(`denied request: ${reported}`);
      expect(reported).not.toBe("");
    });

    it("gives an identity to a pod that Pod Security restricted admits", async () => {
      const shape = injected.find(({ title }) => title.includes("Pod Security restricted")) ?? { title: "" };
      const pod = podOf(shape, "secure", "restricted") as KubeObject;
      expect((await admin.create(pod, { dryRun: true }))["spec"].initContainers).toHaveLength(1);
    });
  });

  it("gives the uid of today after an uninstall and a new installation", async () => {
    const policies = (await component()).filter(({ kind }) => kind.startsWith("Mutating"));
    const labelled = () => admin.create(podNamed({ title: "" }, 0), { dryRun: true });
    const identity = { apiVersion, kind: "Identity", metadata: { name: "checkout", namespace } };
    for (const policy of policies) await admin.delete(policy);
    await vi.waitFor(async () => expect(await refusal(labelled())).toContain("muster-identity-required"), waiting);
    const later = uid.replaceAll("1", "3");
    await admin.patch(identity, { status: { uid: later } }, "status");
    for (const policy of policies) await admin.apply(policy);
    const pod = await vi.waitFor(labelled, waiting);
    expect(pod["spec"].containers[0].env).toContainEqual({ name: "MUSTER_IDENTITY", value: later });
    // Nor does the API server keep it afterwards.
    await admin.patch(identity, { status: { uid } }, "status");
    await vi.waitFor(async () => expect(JSON.stringify(await labelled())).toContain(uid), waiting);
  });

  it("admits pods without the label while the CRD is missing, and refuses the others", async () => {
    await admin.patch(
      { apiVersion, kind: "Identity", metadata: { name: "deleted", namespace } },
      {
        metadata: { finalizers: null },
      },
    );
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "identities.iam.muster.dev" },
    };
    await admin.delete(definition);
    await admin.waitUntilGone(definition);
    await admin.create({ ...plain, spec: { containers: [container] } }, { dryRun: true });
    const labelled = admin.create(podNamed({ title: "" }, 0), { dryRun: true });
    expect(await refusal(labelled)).toMatch(/does not exist|failed to configure/);
  });

  it("admits every pod once the policies are deleted, also after the CRDs, and gives it nothing", async () => {
    for (const policy of await component()) await admin.delete(policy);
    // The API server stops to enforce policies a moment after their deletion.
    await vi.waitFor(async () => {
      const pod = await admin.create(podNamed({ title: "" }, 0), { dryRun: true });
      expect(pod["spec"].initContainers).toBeUndefined();
    }, waiting);
  });

  /** The warnings of the API server about a new object. */
  async function warnings(path: string, object: object): Promise<string> {
    const { url, adminToken, ca } = controlPlane();
    const { Agent, fetch } = await import("undici");
    const dispatcher = new Agent({ connect: { ca } });
    const response = await fetch(`${url}/apis/${path}?dryRun=All`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(object),
      dispatcher,
    });
    expect(response.status, await response.text()).toBe(201);
    await dispatcher.close();
    return response.headers.get("warning") ?? "";
  }
});

/** The policies as an overlay contains them. */
async function component(): Promise<readonly KubeObject[]> {
  const objects = await kustomize("overlays/try-out-with-admission-policy");
  return objects.filter(({ kind, metadata }) => /Admission/.test(kind) && metadata.name.startsWith("muster-identity"));
}

/** The policy with other literals in these variables. */
function withVariables(policy: KubeObject, literals: Readonly<Record<string, unknown>>): KubeObject {
  const spec = policy["spec"];
  const variables = spec.variables.map((variable: { name: string }) =>
    variable.name in literals ? { ...variable, expression: JSON.stringify(literals[variable.name]) } : variable,
  );
  return { ...policy, spec: { ...spec, variables } };
}
