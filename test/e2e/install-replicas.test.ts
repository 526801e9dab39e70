import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CertificateAuthority } from "#test/node/certificates.ts";
import { postgresImage } from "#test/node/images.ts";
import { helm } from "#test/deploy/helm.ts";
import { imageOf, imageValues, operatorNamespace as namespace } from "#test/node/try-out.ts";
import { restrictedContainer, restrictedPod } from "#test/node/restricted.ts";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { describeWithNode } from "./describe-with-target.ts";
import { kubectl } from "./kubectl.ts";
import { createRestricted, removeDefinitions, removeNamespace } from "./restricted-namespace.ts";

const execute = promisify(execFile);
const service = `muster-platform.${namespace}.svc`;
const replicas = [0, 1, 2].map((index) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: `muster-platform-${index}`, namespace },
}));
const isReady = (pod: KubeObject | undefined): boolean =>
  pod?.["status"]?.conditions?.some(
    ({ type, status }: { type: string; status: string }) => type === "Ready" && status === "True",
  ) ?? false;

/** PostgreSQL with its data in memory, for every user of the cluster. */
const database = [
  "initdb --pgdata /data/db --username muster --auth trust --locale C --encoding UTF8 --no-sync",
  "echo 'host all all all trust' >>/data/db/pg_hba.conf",
  "exec postgres -D /data/db -c listen_addresses='*' -c unix_socket_directories=/data",
].join(" && ");

/** Calls the platform all the time, and prints each second how many calls it made, and why some failed. */
const load = `
const { URL: url, TOKEN: token } = process.env;
let calls = 0;
const failures = [];
const call = async (name, path, init = {}) => {
  const response = await fetch(url + path, {
    ...init,
    headers: { authorization: "Bearer " + token, "content-type": "application/json", ...init.headers },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(name + " " + response.status + " " + text);
  calls++;
  return JSON.parse(text);
};
async function caller(number) {
  // Every other caller connects again for each call.
  const headers = number % 2 === 0 ? {} : { connection: "close" };
  for (let round = 0; ; round++) {
    try {
      const { groups } = await call("list", "/iam/v2beta1/groups", { headers });
      if (number < 2)
        await call("update", "/iam/v2beta1/groups/" + groups[0].uid, { method: "PATCH", headers, body: JSON.stringify({ description: number + " " + round }) });
    } catch (error) {
      failures.push(new Date().toISOString() + " caller " + number + ": " + error.message + " " + (error.cause?.code ?? error.cause?.message ?? ""));
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
for (let number = 0; number < 6; number++) void caller(number);
setInterval(() => console.log(JSON.stringify({ calls, failures })), 1000);
`;

describeWithNode("three replicas of the platform on PostgreSQL, with TLS", (target) => {
  const inNamespace = () => ["--namespace", namespace, ...target().helmFlags];
  const values = (annotation: string) => ({
    ...imageValues(target().image),
    replicas: 1,
    settings: { allowedRole: ["viewer"] },
    platform: {
      enabled: true,
      replicas: replicas.length,
      podAnnotations: { revision: annotation },
      tls: { secretName: "platform-tls" },
      database: { existingSecret: "muster-database" },
    },
  });
  const progress = async () => {
    const line = await kubectl(target(), ["logs", "caller", "--namespace", namespace, "--tail=1"]);
    return JSON.parse(line) as { readonly calls: number; readonly failures: readonly string[] };
  };
  let folder = "";

  beforeAll(async () => {
    const { admin } = target();
    folder = await mkdtemp(join(tmpdir(), "muster-e2e-replicas-"));
    await createRestricted(admin, namespace);
    await helm(["install", "muster-crds", "muster-crds", "--wait", ...inNamespace()]);
    const authority = await CertificateAuthority.create(folder);
    const { certificate, key } = await authority.issue("tls", { subject: "/CN=platform", names: `DNS:${service}` });
    const secret = ["create", "secret", "generic", "--namespace", namespace];
    const files = { "tls.crt": certificate, "tls.key": key, "ca.crt": authority.certificate };
    const fromFiles = Object.entries(files).map(([name, file]) => `--from-file=${name}=${file}`);
    await kubectl(target(), [...secret, "platform-tls", ...fromFiles]);
    const { stdout: encryptionKey } = await execute("openssl", ["rand", "-base64", "32"]);
    const url = `postgres://muster@database.${namespace}.svc/postgres`;
    const literals = { url, key: encryptionKey.trim() };
    const fromLiterals = Object.entries(literals).map(([name, text]) => `--from-literal=${name}=${text}`);
    await kubectl(target(), [...secret, "muster-database", ...fromLiterals]);
    await admin.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "database", namespace },
      spec: { selector: { app: "database" }, ports: [{ port: 5432 }] },
    });
    const pod = podNamed("database", {
      image: postgresImage,
      command: ["sh", "-c", database],
      readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
      volumeMounts: [{ name: "data", mountPath: "/data" }],
    });
    await admin.create({
      ...pod,
      spec: {
        ...pod["spec"],
        volumes: [{ name: "data", emptyDir: {} }],
        securityContext: { ...restrictedPod.securityContext, fsGroup: 65532 },
      },
    });
    await admin.waitFor(pod, isReady, { timeoutMs: 60_000 });
  });
  afterAll(async () => {
    await helm(["uninstall", "muster", ...inNamespace()]);
    await helm(["uninstall", "muster-crds", ...inNamespace()]);
    await removeDefinitions(target().admin);
    await removeNamespace(target().admin, namespace);
    await rm(folder, { recursive: true });
  });

  it("are installed, and called", async () => {
    const { admin } = target();
    await helm(["install", "muster", "muster", "--wait", ...inNamespace()], values("first"));
    await helm(["test", "muster", ...inNamespace()]);
    const rotate = ["exec", "--namespace", namespace, "muster-platform-0", "--"];
    await kubectl(target(), [...rotate, "muster", "platform", "admin-token", "--rotate"]);
    const token = await kubectl(target(), [...rotate, "cat", "/data/admin-token"]);
    const pod = podNamed("caller", {
      image: imageOf(target()),
      command: ["node", "-e", load],
      env: [
        { name: "URL", value: `https://${service}:8080` },
        { name: "TOKEN", value: token.trim() },
        { name: "NODE_EXTRA_CA_CERTS", value: "/ca/ca.crt" },
      ],
      volumeMounts: [{ name: "ca", mountPath: "/ca" }],
    });
    const volumes = [{ name: "ca", configMap: { name: "platform-ca" } }];
    await admin.apply({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "platform-ca", namespace },
      data: { "ca.crt": await readFile(join(folder, "ca.crt"), "utf8") },
    });
    await admin.create({ ...pod, spec: { ...pod["spec"], volumes } });
    await expect.poll(async () => (await progress()).calls, { timeout: 60_000 }).toBeGreaterThan(100);
    expect((await progress()).failures).toEqual([]);
  });

  it("lose no call while each is evicted, as a drain does", async () => {
    const { admin } = target();
    for (const replica of replicas) {
      const { uid } = (await admin.get(replica)).metadata;
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: replica.metadata };
      await admin.request("POST", `${await admin.pathOf(replica)}/eviction`, { body: eviction });
      await admin.waitFor(replica, (pod) => pod !== undefined && pod.metadata.uid !== uid && isReady(pod), {
        timeoutMs: 90_000,
      });
    }
    expect((await progress()).failures).toEqual([]);
  });

  it("lose no call during an upgrade", async () => {
    const { calls } = await progress();
    await helm(["upgrade", "muster", "muster", "--wait", ...inNamespace()], values("second"));
    for (const replica of replicas)
      expect((await target().admin.get(replica)).metadata.annotations).toMatchObject({ revision: "second" });
    const after = await progress();
    expect(after.failures).toEqual([]);
    expect(after.calls).toBeGreaterThan(calls);
  });
});

const podNamed = (name: string, container: object): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    ...restrictedPod,
    containers: [{ name, ...restrictedContainer, ...container }],
  },
});
