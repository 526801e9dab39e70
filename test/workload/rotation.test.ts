import { generateKeyPairSync } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { defaultSettings } from "#src/injection/description.ts";
import { type Manifest, policies } from "#src/injection/policies.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithNewControlPlane } from "#test/support/control-plane/describe-with-control-plane.ts";
import { musterObject } from "#test/support/harness/muster-objects.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import type { Operator } from "#test/support/harness/operator.ts";
import { sendJson } from "#test/support/harness/send-json.ts";
import { System } from "#test/support/harness/system.ts";

const namespace = "team";
const account = "checkout";
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: account, namespace, labels: { "iam.muster.dev/identity": account } },
  spec: { serviceAccountName: account, containers: [{ name: "app", image: "example/app:1" }] },
};
/** The agent reads its own token every 30 s, the platform refetches keys after 30 s, and publishes its own within a minute. */
const changes = { timeout: 110_000, interval: 500 };

/** The path of a pod's token, from the label on: everything is real but the kubelet, whose place this test takes. */
describeWithNewControlPlane("a pod's token", (controlPlane) => {
  let system: System;
  let operator: Operator;
  let agent: MusterProcess;
  let audience = "";
  let binding: KubeObject;
  const source = () => join(system.folder, "pod/source");
  const tokenFile = () => join(system.folder, "pod/token");

  beforeAll(async () => {
    system = await System.start({ controlPlane: controlPlane() });
    operator = await system.startOperator();
    await mkdir(join(system.folder, "pod"));
    for (const policy of policies(defaultSettings) as readonly (Manifest & KubeObject)[])
      await controlPlane().admin.apply(policy);
  });
  afterAll(async () => {
    await agent?.kill();
    await system.stop();
  });

  /** What the kubelet does: requests a token with the audience that the injected volume names. */
  async function projectToken(): Promise<string> {
    const token = await controlPlane().admin.createToken(namespace, account, { audiences: [audience] });
    await writeFile(source(), token, { mode: 0o600 });
    return token;
  }

  /** The names of the repos that the application reads with the token in the file. */
  async function repos(): Promise<string[]> {
    const token = (await readFile(tokenFile(), "utf8")).trim();
    const page = await sendJson({ url: system.platformUrl, token, method: "GET", path: "/registry/v2beta1/repos" });
    return page.repos.map(({ name }: { readonly name: string }) => name);
  }

  it("reads a private repo, with what the policy injects and the agent keeps", async () => {
    const { admin } = controlPlane();
    await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: account, namespace } });
    const group = musterObject("Group", namespace, "shop", { parentUid: system.root });
    const identity = musterObject("Identity", namespace, account, {
      groupRef: { name: "shop" },
      serviceAccountRef: { name: account },
    });
    binding = musterObject("RoleBinding", namespace, "checkout-pulls", {
      groupRef: { name: "shop" },
      identityRef: { name: account },
      roleRef: { name: "registry.pull" },
    });
    for (const object of [group, identity, binding]) await admin.apply(object);
    const { uid } = (await system.ready(group))["status"];
    await system.ready(binding);
    const adminToken = (await readFile(system.adminTokenFile, "utf8")).trim();
    const created = { method: "POST", path: `/registry/v2beta1/repos/${uid}`, body: { name: "orders" } };
    await sendJson({ url: system.platformUrl, token: adminToken, ...created });

    const injected = await vi.waitFor(async () => {
      const { spec } = await admin.create(pod, { dryRun: true });
      expect(spec.initContainers).toMatchObject([{ name: "muster-agent" }]);
      return spec;
    }, changes);
    const [container] = injected.initContainers;
    const volume = injected.volumes.find(({ name }: { readonly name: string }) => name === "muster-source");
    audience = volume.projected.sources[0].serviceAccountToken.audience;
    await projectToken();
    const env = Object.fromEntries(container.env.map((one: { name: string; value: string }) => [one.name, one.value]));
    agent = new MusterProcess(container.args, {
      env: { ...env, MUSTER_SUBJECT_TOKEN_FILE: source(), MUSTER_TOKEN_FILE: tokenFile() },
    });
    await vi.waitFor(async () => expect(await repos()).toEqual(["orders"]), changes);
  });

  it("goes on after the keys of the cluster and of the platform have changed", async () => {
    const first = await readFile(tokenFile(), "utf8");
    const before = decodeProtectedHeader(await readFile(source(), "utf8")).kid;
    await rotateClusterKey(controlPlane().folder);
    await controlPlane().restartApiServer();
    const rotation = new MusterProcess([
      "platform",
      "rotate-signing-key",
      "--data",
      join(system.folder, "platform.db"),
    ]);
    await rotation.ended;
    expect([rotation.exitCode, rotation.plainOutput]).toEqual([0, expect.stringContaining("Created the signing key")]);

    expect(decodeProtectedHeader(await projectToken()).kid).not.toBe(before);
    await vi.waitFor(async () => {
      expect(await readFile(tokenFile(), "utf8")).not.toBe(first);
      const { keys } = (await (await fetch(`${system.platformUrl}/.well-known/jwks.json`)).json()) as {
        keys: object[];
      };
      expect(keys).toHaveLength(2);
    }, changes);
    expect(await repos()).toEqual(["orders"]);
    expect(agent.running).toBe(true);
  });

  it("goes on with another operator, which takes the access away when its object is deleted", async () => {
    await operator.process.stop();
    operator = await system.startOperator();
    await operator.process.logged("leading");
    expect(await repos()).toEqual(["orders"]);
    await controlPlane().admin.delete(binding);
    await system.gone(binding);
    expect(await repos()).toEqual([]);
  });
});

/** The API server signs with a new key from its next start on, and accepts the tokens that the old one signed. */
async function rotateClusterKey(folder: string): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const publicKeys = join(folder, "service-account.pub");
  const earlier = await readFile(publicKeys, "utf8");
  await writeFile(publicKeys, publicKey + earlier);
  await writeFile(join(folder, "service-account.key"), privateKey, { mode: 0o600 });
}
