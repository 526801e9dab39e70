import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  account,
  type Fields,
  groupsOfCheckout,
  labelledPod,
  logOf,
  namespace,
  outputOfEnded,
  reader,
  runToEnd,
} from "#test/node/labelled-pod.ts";
import { applyExamples, imageOf, installTryOut } from "#test/node/try-out.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithTarget } from "./describe-with-target.ts";

/** What Pod Security `restricted` requires of a container. */
const restricted = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

/** Prints the user of the application, and the owner, the group and the mode of the token. */
const printsFile = `echo "user $(id -u)"; stat --format 'file %u:%g %a' "$MUSTER_TOKEN_FILE"`;
interface Case {
  readonly title: string;
  readonly pod?: Fields;
  readonly app?: Fields;
  /** The user of the application, and the file. */
  readonly prints: readonly string[];
}

/** Kubernetes gives it the group 0, which has no rights in the image. */
const userOfImage = 65_532;

const contexts: readonly Case[] = [
  { title: "none", prints: [`user ${userOfImage}`, `file ${userOfImage}:0 444`] },
  { title: "a user of the pod", pod: { runAsUser: 1_000 }, prints: ["user 1000", "file 1000:0 444"] },
  {
    title: "a user and groups of the pod",
    pod: { runAsUser: 1_000, runAsGroup: 1_001, fsGroup: 1_002, supplementalGroups: [1_003] },
    prints: ["user 1000", "file 1000:1002 440"],
  },
  {
    title: "a user of the container",
    app: { runAsUser: 2_000, runAsGroup: 2_000 },
    prints: ["user 2000", `file ${userOfImage}:0 444`],
  },
  {
    title: "a user of the container, and a group of the volumes",
    pod: { fsGroup: 3_000 },
    app: { runAsUser: 2_000, runAsGroup: 2_000 },
    prints: ["user 2000", `file ${userOfImage}:3000 440`],
  },
  { title: "root", pod: { runAsUser: 0 }, prints: ["user 0", `file ${userOfImage}:0 444`] },
  {
    title: "root without capabilities",
    pod: { runAsUser: 0, fsGroup: 3_000 },
    app: { capabilities: { drop: ["ALL"] } },
    prints: ["user 0", `file ${userOfImage}:3000 440`],
  },
  {
    title: "a file system that is only read",
    app: { ...restricted, readOnlyRootFilesystem: true },
    prints: [`user ${userOfImage}`, `file ${userOfImage}:0 444`],
  },
];

/** As OpenShift's admission does, after all others: it gives each container the user of the namespace, and the volumes its group. */
const openShiftUser = 1_000_660_000;
const withUser = (list: string) => `
  (has(object.spec.${list}) ? object.spec.${list} : []).map(c, Object.spec.${list}{
    name: c.name, securityContext: Object.spec.${list}.securityContext{runAsUser: ${openShiftUser}},
  })`;
const openShift = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "a-user-of-the-namespace" },
    spec: {
      failurePolicy: "Fail",
      reinvocationPolicy: "IfNeeded",
      matchConstraints: {
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      },
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: {
            expression: `Object{spec: Object.spec{
              securityContext: Object.spec.securityContext{fsGroup: ${openShiftUser}},
              initContainers: ${withUser("initContainers")},
              containers: ${withUser("containers")},
            }}`,
          },
        },
      ],
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "a-user-of-the-namespace" },
    spec: { policyName: "a-user-of-the-namespace" },
  },
] satisfies readonly KubeObject[];

describeWithTarget("a labelled pod", (target) => {
  beforeAll(async () => {
    await installTryOut(target());
    await applyExamples(target());
    await target().admin.apply(account);
  });

  /** Runs a pod that uses its token, and then the script. @returns the lines that the script printed */
  async function run(name: string, script: string, { app = {}, ...pod }: Fields & { readonly app?: Fields } = {}) {
    const container = { ...reader(imageOf(target()), `node -e "$READ" && { ${script}; }`), ...app };
    const [groups, ...lines] = (await runToEnd(target().admin, labelledPod(name, container, pod))).split("\n");
    expect(groups).toBe(groupsOfCheckout);
    return lines;
  }

  describe("uses its token with a security context that names", () => {
    it.each(contexts)("$title", async ({ title, pod = {}, app = {}, prints }) => {
      const name = title.replaceAll(/[^a-z]+/g, "-");
      expect(await run(name, printsFile, { securityContext: pod, app: { securityContext: app } })).toEqual(prints);
    });
  });

  it("uses its token where Pod Security enforces restricted", async () => {
    const { admin } = target();
    const level = (value: string | null) =>
      admin.patch(
        { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
        { metadata: { labels: { "pod-security.kubernetes.io/enforce": value } } },
      );
    await level("restricted");
    try {
      await expect(run("unrestricted", "true")).rejects.toThrow("violates PodSecurity");
      expect(await run("restricted", "id -u", { app: { securityContext: restricted } })).toEqual([`${userOfImage}`]);
    } finally {
      await level(null);
    }
  });

  /** A policy has an effect some time after its creation, and until some time after its deletion. */
  async function chosenUser(user: number | undefined): Promise<void> {
    const pod = labelledPod("openshift", { image: imageOf(target()) });
    await vi.waitFor(
      async () => {
        const { spec } = await target().admin.create(pod, { dryRun: true });
        expect(spec.initContainers[0].securityContext).toMatchObject({ runAsNonRoot: true });
        expect(spec.initContainers[0].securityContext.runAsUser).toBe(user);
      },
      { timeout: 20_000, interval: 200 },
    );
  }

  it("uses its token as the random user that OpenShift gives each container", async () => {
    const { admin } = target();
    for (const object of openShift) await admin.apply(object);
    try {
      await chosenUser(openShiftUser);
      const lines = await run("openshift", printsFile, { app: { securityContext: restricted } });
      expect(lines).toEqual([`user ${openShiftUser}`, `file ${openShiftUser}:${openShiftUser} 440`]);
    } finally {
      for (const object of openShift) await admin.delete(object);
      await chosenUser(undefined);
    }
  });

  it("uses its token in the network of the node", async () => {
    const fields = { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" };
    expect(await run("host-network", "id -u", fields)).toEqual([`${userOfImage}`]);
  });

  it("uses its token in a user namespace of its own", async ({ skip }) => {
    const nodes = await target().admin.list({ apiVersion: "v1", kind: "Node" });
    const able = nodes.every((node) =>
      (node["status"].runtimeHandlers ?? []).some(
        ({ features }: { features?: { userNamespaces?: boolean } }) => features?.userNamespaces,
      ),
    );
    skip(!able, "the runtime of a node has no user namespaces (runc has them from 1.2 on)");
    const lines = await run("user-namespace", "id -u; head -n 1 /proc/self/uid_map", { hostUsers: false });
    expect(lines[0]).toBe(`${userOfImage}`);
    expect(lines[1]).not.toMatch(/^ *0 +0 /);
  });

  it("gives the token to an init container that mounts it", async () => {
    const { admin } = target();
    const identity = { apiVersion: "iam.muster.dev/v1beta1", kind: "Identity", metadata: account.metadata };
    const { platformUrl } = (await admin.get(identity))["status"].exchange;
    const { env, ...container } = reader(imageOf(target()));
    const variables = { MUSTER_TOKEN_FILE: "/var/run/muster/token/token", MUSTER_PLATFORM_URL: platformUrl };
    const setup = {
      ...container,
      name: "setup",
      env: [...(env as readonly Fields[]), ...Object.entries(variables).map(([name, value]) => ({ name, value }))],
      volumeMounts: [{ name: "muster-token", mountPath: "/var/run/muster/token", readOnly: true }],
    };
    const volumes = [{ name: "muster-token", emptyDir: { medium: "Memory" } }];
    const pod = labelledPod("init", reader(imageOf(target())), { initContainers: [setup], volumes });
    await admin.create(pod);
    try {
      expect(await outputOfEnded(admin, pod)).toBe(groupsOfCheckout);
      expect(await logOf(admin, pod, "setup")).toBe(groupsOfCheckout);
    } finally {
      await admin.delete(pod);
    }
  });

  it("exchanges its token itself with the annotation that leaves the agent out", async () => {
    const script = 'muster token >/tmp/token && MUSTER_TOKEN_FILE=/tmp/token node -e "$READ"';
    const pod = labelledPod("no-agent", reader(imageOf(target()), script));
    const annotations = { "iam.muster.dev/agent": "none" };
    const output = await runToEnd(target().admin, { ...pod, metadata: { ...pod.metadata, annotations } });
    expect(output).toBe(groupsOfCheckout);
  });
});
