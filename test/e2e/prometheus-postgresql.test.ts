import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { helm } from "#test/deploy/helm.ts";
import { type Cluster, startCluster } from "#test/node/cluster.ts";
import { operatorNamespace as namespace } from "#test/node/try-out.ts";
import { startCaller } from "./caller-pod.ts";
import { certificateSecret, createCertificate, databaseSecret, startDatabase } from "./database-pod.ts";
import { describeOnNode } from "./describe-with-target.ts";
import { Prometheus } from "./prometheus.ts";
import { report } from "./report.ts";
import { isReadyPod } from "./restricted-pod.ts";
import { createRestricted } from "./restricted-namespace.ts";
import { rulesWithoutWaiting } from "./rules-without-waiting.ts";
import { scrapeConfigsOfChart } from "./scrape-config.ts";

const values = {
  replicas: 1,
  settings: { allowedRole: ["viewer"] },
  platform: {
    enabled: true,
    tls: { secretName: certificateSecret },
    database: { existingSecret: databaseSecret },
    settings: {
      // One caller has two thirds of them, and of the nine reads that the database does at the same time.
      maximumInFlight: 12,
      signingKeyInterval: "1h",
      // No such Service.
      auditWebhook: `https://collector.${namespace}.svc`,
      // Any file with a long line.
      auditWebhookSecretFile: "/etc/muster/key/key",
    },
  },
};
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "muster-platform-0", namespace } };
const database = { apiVersion: "v1", kind: "Pod", metadata: { name: "database", namespace } };
const nodePort = 30_432;

// What alert-causes.ts cannot make in its installation.
describeOnNode("Prometheus beside a platform with PostgreSQL and TLS", () => {
  let cluster: Cluster;
  let prometheus: Prometheus;
  let sql: Client;

  beforeAll(async () => {
    cluster = await startCluster({ progress: report });
    const { admin, helmFlags, isolation, kubeconfig } = cluster;
    const folder = join(isolation.folder, "tls");
    await mkdir(folder);
    await createRestricted(admin, namespace);
    const authority = await createCertificate(cluster, { namespace, folder, days: 5 });
    await startDatabase(cluster, namespace);
    const inNamespace = ["--namespace", namespace, "--wait", ...helmFlags];
    await helm(["install", "muster-crds", "muster-crds", ...inNamespace]);
    await helm(["install", "muster", "muster", "--timeout", "2m", ...inNamespace], values);
    await admin.apply({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "from-this-machine", namespace },
      spec: { type: "NodePort", selector: { app: "database" }, ports: [{ port: 5432, nodePort }] },
    });
    const connect = async () => {
      const client = new Client(`postgres://muster@${isolation.address}:${nodePort}/postgres`);
      await client.connect();
      return client;
    };
    sql = await vi.waitFor(connect, { timeout: 20_000, interval: 100 });
    const jobs = await scrapeConfigsOfChart("muster", values, { kubeconfig, authority });
    // A scrape takes longer than two seconds while the database is away: the interval is as long as Prometheus waits by default.
    prometheus = await Prometheus.start(
      cluster,
      { jobs, rules: await rulesWithoutWaiting(), interval: "10s" },
      { progress: report },
    );
  });
  afterAll(async () => {
    await sql?.end();
    await cluster?.stop();
  });

  const fires = (alert: string, timeoutMs?: number) =>
    prometheus.until(
      `${alert} fires`,
      async () => (await prometheus.alerts()).some(({ name, state }) => name === alert && state === "firing"),
      timeoutMs,
    );

  it("scrapes the platform with TLS", async () => {
    await prometheus.until("both components are scraped", async () => (await prometheus.targets()).length === 2);
    expect(await prometheus.query("muster_platform_server_certificate_expiry_timestamp_seconds")).toHaveLength(1);
  });

  it("MusterPlatformCertificateExpires fires if the certificate expires in five days", () =>
    fires("MusterPlatformCertificateExpires"));

  it("MusterPlatformAuditExportLate fires if the webhook of the audit log is away", () =>
    fires("MusterPlatformAuditExportLate"));

  it("MusterPlatformSigningKeyOld fires if the database rejects a new key", { timeout: 360_000 }, async () => {
    // The next key is due in two minutes: the platform starts before that, as it does not without a key.
    await sql.query("UPDATE signing_keys SET create_time = $1", [Date.now() - 3_480_000]);
    await sql.query("ALTER TABLE signing_keys ADD CHECK (false) NOT VALID");
    const { uid } = (await cluster.admin.get(pod)).metadata;
    await cluster.admin.delete(pod);
    await cluster.admin.waitFor(pod, (seen) => seen?.metadata.uid !== uid && isReadyPod(seen), { timeoutMs: 90_000 });
    await fires("MusterPlatformSigningKeyOld", 240_000);
  });

  it("MusterPlatformOverloaded fires if calls wait for a table that is locked", { timeout: 240_000 }, async () => {
    await startCaller(cluster, { namespace, callers: 20 });
    await sql.query("BEGIN");
    await sql.query("LOCK TABLE groups");
    await fires("MusterPlatformOverloaded");
    await sql.query("ROLLBACK");
  });

  it("MusterPlatformDatabaseDown fires if the database is deleted", { timeout: 240_000 }, async () => {
    // It ends with its server.
    sql.on("error", () => {});
    await cluster.admin.delete(database);
    await fires("MusterPlatformDatabaseDown");
    const [longest] = await prometheus.query('max(max_over_time(scrape_duration_seconds{job="muster-platform"}[1m]))');
    report(`a scrape of a platform without its database takes ${longest?.value.toFixed(1)} s`);
  });
});
