import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import { ConnectionProxy } from "#test/operator/campaign/connection-proxy.ts";
import { PlatformAdmin } from "#test/support/harness/platform-admin.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import type { Scenario } from "./operator-scenarios.ts";
import { platformTarget, type Recorder, type Target } from "./recorder.ts";

interface World {
  readonly platform: PlatformProcess;
  readonly admin: PlatformAdmin;
  readonly targets: readonly Target[];
  /** The file with the data. */
  readonly data: string;
}

const day = 86_400_000;

function scenario(
  name: string,
  flags: (folder: string) => Promise<readonly string[]> | readonly string[],
  run: (world: World, recorder: Recorder) => Promise<void>,
): Scenario {
  return {
    name,
    record: async (recorder) => {
      const folder = await mkdtemp(join(tmpdir(), "muster-record-"));
      const data = join(folder, "platform.db");
      const given = await flags(folder);
      const location = given.includes("--database") ? [] : ["--data", data];
      const adminTokenFile = join(folder, "admin-token");
      const platform = new PlatformProcess([...location, "--admin-token-file", adminTokenFile, ...given]);
      try {
        const { address } = await platform.listening();
        const url = `${given.includes("--tls-cert") ? "https" : "http"}://${address}`;
        const admin = new PlatformAdmin(url, (await readFile(adminTokenFile, "utf8")).trim());
        await run({ platform, admin, targets: [platformTarget(url)], data }, recorder);
      } finally {
        await platform.kill();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Calls of the admin, at once. Failures are what some scenarios are about. */
async function calls(admin: PlatformAdmin, count: number): Promise<void> {
  await Promise.allSettled(Array.from({ length: count }, () => admin.list("groups")));
}

let postgres: PostgresServer | undefined;
let proxy: ConnectionProxy | undefined;

export const platformScenarios: readonly Scenario[] = [
  scenario(
    "MusterPlatformDown",
    () => [],
    async ({ platform, targets }, recorder) => {
      await recorder.scrape(targets);
      await platform.kill();
      await recorder.scrapeTwice(targets);
    },
  ),
  scenario(
    "MusterPlatformDatabaseDown",
    async (folder) => {
      postgres = await PostgresServer.start();
      const url = new URL(await postgres.newDatabase());
      proxy = await ConnectionProxy.start(Number(url.port));
      url.port = String(proxy.port);
      return ["--database", url.href, "--key-file", join(folder, "key")];
    },
    async ({ admin, targets }, recorder) => {
      await calls(admin, 10);
      await recorder.scrape(targets);
      proxy?.stall();
      await recorder.scrapeTwice(targets);
      await proxy?.stop();
      await postgres?.stop();
    },
  ),
  scenario(
    "MusterPlatformWritesFail",
    () => [],
    async ({ admin, targets, data }, recorder) => {
      await recorder.scrape(targets);
      // Another process locks the database, which is the same as a full disk for whoever writes.
      const database = new DatabaseSync(data);
      database.exec("BEGIN IMMEDIATE");
      await admin.create("groups", "", { name: "refused" }).catch(() => undefined);
      await recorder.scrapeTwice(targets);
      database.close();
    },
  ),
  scenario(
    "MusterPlatformErrors",
    () => ["--fault", "method=GroupsService/ListGroups,share=0.5,code=13"],
    async ({ admin, targets }, recorder) => {
      await calls(admin, 20);
      await recorder.scrape(targets);
      await calls(admin, 20);
      await recorder.scrape(targets);
      await calls(admin, 20);
      await sleep(2_000);
      await recorder.scrape(targets);
    },
  ),
  scenario(
    "MusterPlatformSlow",
    () => ["--latency", "1500ms"],
    async ({ admin, targets }, recorder) => {
      await calls(admin, 1);
      await recorder.scrape(targets);
      await calls(admin, 20);
      await recorder.scrape(targets);
      await calls(admin, 20);
      await recorder.scrape(targets);
    },
  ),
  scenario(
    "MusterPlatformOverloaded",
    () => ["--maximum-in-flight", "5", "--latency", "12s"],
    async ({ admin, targets }, recorder) => {
      await recorder.scrape(targets);
      const running = calls(admin, 5);
      await sleep(1_000);
      await recorder.scrapeTwice(targets);
      await running;
    },
  ),
  scenario(
    "MusterPlatformExchangesRefused",
    () => [],
    async ({ admin, targets }, recorder) => {
      const exchange = async () => {
        for (let index = 0; index < 10; index += 1)
          await fetch(`${targets[0]?.url ?? ""}/sts/exchange?aud=x&identity=${"0".repeat(40)}`, {
            headers: { authorization: "Bearer not-a-token" },
          });
      };
      await calls(admin, 1);
      await exchange();
      await recorder.scrape(targets);
      await exchange();
      await recorder.scrape(targets);
      await exchange();
      await sleep(2_000);
      await recorder.scrape(targets);
    },
  ),
  scenario(
    "MusterPlatformCertificateExpires",
    async (folder) => {
      const { certificate, key } = selfSignedCertificate({ notAfter: new Date(Date.now() + 5 * day) });
      const files = [join(folder, "tls.crt"), join(folder, "tls.key")] as const;
      await writeFile(files[0], certificate);
      await writeFile(files[1], key);
      return ["--tls-cert", files[0], "--tls-key", files[1]];
    },
    async ({ targets }, recorder) => {
      await recorder.scrapeTwice(targets);
    },
  ),
  scenario(
    "MusterPlatformSigningKeyOld",
    async (folder) => {
      const data = join(folder, "platform.db");
      const before = new PlatformProcess(["--data", data, "--admin-token-file", join(folder, "admin-token")]);
      await before.listening();
      await before.stop();
      // The next key is due in 30 s.
      const database = new DatabaseSync(data);
      database.prepare("UPDATE signing_keys SET create_time = ?").run(Date.now() - 3_570_000);
      database.close();
      return ["--signing-key-interval", "1h"];
    },
    async ({ platform, targets, data }, recorder) => {
      await recorder.scrape(targets);
      // Another process locks the database, so that the key cannot be created.
      const database = new DatabaseSync(data);
      database.exec("BEGIN IMMEDIATE");
      await sleep(62_000);
      await recorder.scrape(targets);
      await platform.logged("refresh of the signing keys failed; the known keys stay in use");
      await recorder.scrape(targets);
      database.close();
    },
  ),
  scenario(
    "MusterPlatformAuditExportLate",
    async (folder) => {
      await writeFile(join(folder, "secret"), "a secret that signs requests to the webhook\n", { mode: 0o600 });
      // Nothing listens on the port of discard.
      return ["--audit-webhook", "http://127.0.0.1:9/audit", "--audit-webhook-secret-file", join(folder, "secret")];
    },
    async ({ platform, targets, data }, recorder) => {
      await platform.logged("exporting audit records failed; it is retried");
      const database = new DatabaseSync(data, { timeout: 5_000 });
      database.prepare("UPDATE audit_log SET time = time - ?").run(3_600_000);
      database.close();
      await recorder.scrapeTwice(targets);
    },
  ),
  scenario(
    "MusterPlatformFaultInjection",
    () => ["--fault", "method=GroupsService/ListGroups,share=0.2,latency=10ms"],
    async ({ admin, targets }, recorder) => {
      for (let turn = 0; turn < 3; turn += 1) {
        await calls(admin, 40);
        await sleep(1_000);
        await recorder.scrape(targets);
      }
    },
  ),
];
