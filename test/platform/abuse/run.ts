import { constants } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { onPlatformCore } from "#test/platform/bench/cores.ts";
import { Issuer } from "#test/platform/bench/issuer.ts";
import { postgresCopy } from "#test/platform/bench/postgres-copy.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { memoryMiB } from "#test/support/bench/process-usage.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import type { Tally } from "./abuser/protocol.ts";
import { auditLogMiB } from "./audit-log-size.ts";
import { AbuserProcess } from "./abuser-process.ts";
import { Bystander } from "./bystander.ts";
import type { AbuseFigure } from "./figures.ts";
import type { AbuseKind } from "./abuse-kind.ts";
import { MemoryGroup } from "./memory-group.ts";
import { Names } from "./names.ts";
import type { AbuseOptions } from "./options.ts";
import { filledTenants, type Tenants } from "./tenants.ts";

const noAbuse: Tally = { counts: {}, cpuMilliseconds: 0 };
const probe = new URL("probe/preload.ts", import.meta.url);

/** Runs the kinds, after a run without abuse, each on a platform of its own. @param report called with each figure */
export async function run(
  program: Program,
  { backend, kinds, seconds, data }: AbuseOptions,
  report: (figure: AbuseFigure) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "muster-abuse-"));
  const cleanups: (() => unknown)[] = [() => rm(folder, { recursive: true })];
  try {
    const { path: filled, adminTokenFile, tenants } = await filledTenants(data ?? folder);
    let newData = async (): Promise<string[]> => {
      const path = join(folder, "data");
      for (const suffix of ["", "-wal", "-shm"]) await rm(path + suffix, { force: true });
      await copyFile(filled, path, constants.COPYFILE_FICLONE);
      return ["--data", path];
    };
    if (backend === "postgres") {
      const server = await PostgresServer.start({ durable: true });
      cleanups.push(() => server.stop());
      const template = new URL(await postgresCopy(server, filled)).pathname.slice(1);
      newData = async () => ["--database", await server.newDatabase(template)];
    }
    const certificate = join(folder, "issuer.pem");
    const names = await Names.start(folder);
    cleanups.push(() => names.stop());
    const issuer = await Issuer.start(certificate, names.bystanders);
    cleanups.push(() => issuer.stop());
    for (const kind of [undefined, ...kinds]) {
      const location = await newData();
      const [, database = ""] = location;
      const flags = [...location, "--key-file", join(folder, "key"), "--admin-token-file", adminTokenFile];
      for (const url of [issuer.url, ...names.bystanders.map((name) => issuer.urlAt(name))])
        flags.push("--trusted-issuer", `${url},ca=${certificate}`);
      report(await measure({ program, folder, data: database, flags, names, issuer, tenants, kind, seconds }));
    }
  } finally {
    for (const cleanUp of cleanups.toReversed()) await cleanUp();
  }
}

interface Measurement {
  readonly program: Program;
  readonly folder: string;
  /** The file or the URL of the database. */
  readonly data: string;
  readonly flags: readonly string[];
  readonly names: Names;
  readonly issuer: Issuer;
  readonly tenants: Tenants;
  /** Undefined for a run without abuse. */
  readonly kind: AbuseKind | undefined;
  readonly seconds: number;
}

async function measure(measurement: Measurement): Promise<AbuseFigure> {
  const { folder, data, names, issuer, tenants, kind, seconds } = measurement;
  const cleanups: (() => unknown)[] = [];
  try {
    const abuser = await AbuserProcess.start(folder);
    cleanups.push(() => abuser.stop());
    const group = kind?.memoryMiB === undefined ? undefined : await MemoryGroup.create(kind.memoryMiB);
    cleanups.push(() => group?.remove());
    const platform = startPlatform(
      measurement,
      abuser,
      kind?.tls === true ? await certificateFlags(folder) : [],
      group,
    );
    cleanups.push(() => platform.kill());
    const { baseUrl: origin } = await platform.listening();
    const bystander = await Bystander.start({ origin, tenants, issuer, names: names.bystanders });
    cleanups.push(() => bystander.stop());
    if (kind !== undefined) await abuser.prepare({ kind: kind.name, origin, tenants });
    await bystander.warmUp();
    await writeFile(`/proc/${platform.pid}/clear_refs`, "5");
    const from = platform.log.length;
    const [started, waitedBefore] = [performance.now(), await waitedForCore(platform.pid)];
    const auditBefore = await auditLogMiB(data);
    if (kind !== undefined) abuser.abuse();
    const { latencies, failures } = await bystander.run(seconds);
    const waited = platform.running ? (await waitedForCore(platform.pid)) - waitedBefore : Number.NaN;
    const elapsed = performance.now() - started;
    const waitedPercent = (100 * waited) / elapsed;
    const peakRssMiB = platform.running ? (await memoryMiB(platform.pid)).peak : Number.NaN;
    const { counts: abuse, cpuMilliseconds } = kind === undefined ? noAbuse : await abuser.end();
    const auditMiB = (await auditLogMiB(data)) - auditBefore;
    return {
      kind: kind?.name ?? "baseline",
      calls: latencies.length,
      p50Milliseconds: percentile(latencies, 0.5),
      p99Milliseconds: percentile(latencies, 0.99),
      failures,
      ended: platform.running
        ? undefined
        : `${platform.signalCode ?? platform.exitCode} ${platform.lastOutput().slice(-300)}`,
      peakRssMiB,
      blockMilliseconds: Math.max(
        0,
        ...platform.log.slice(from).map((line) => (line.msg === "event loop" ? Number(line["longestBlock"]) : 0)),
      ),
      waitedPercent,
      abuserCpuPercent: (100 * cpuMilliseconds) / elapsed,
      auditMiB,
      abuse,
    };
  } finally {
    for (const cleanUp of cleanups.toReversed()) await cleanUp();
  }
}

/** How long the main thread of a process was ready to run and had no core (ms). */
async function waitedForCore(pid: number): Promise<number> {
  const [, nanoseconds = 0] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ").map(Number);
  return nanoseconds / 1e6;
}

/** The flags of a platform that serves TLS. @param folder for its certificate and key */
async function certificateFlags(folder: string): Promise<string[]> {
  const { key, certificate } = selfSignedCertificate();
  const files = { cert: join(folder, "platform.pem"), key: join(folder, "platform.key") };
  await writeFile(files.cert, certificate);
  await writeFile(files.key, key, { mode: 0o600 });
  return ["--tls-cert", files.cert, "--tls-key", files.key];
}

function startPlatform(
  { program, flags, names, kind }: Measurement,
  { issuers }: AbuserProcess,
  more: readonly string[],
  group: MemoryGroup | undefined,
): PlatformProcess {
  const heap = kind?.memoryMiB === undefined ? "" : `--max-old-space-size=${kind.memoryMiB / 2}`;
  const trusted = issuers.urls.flatMap((url) => ["--trusted-issuer", `${url},ca=${issuers.certificate}`]);
  return new PlatformProcess([...flags, ...(kind?.flags ?? []), ...more, ...trusted], {
    program: program.file,
    launcher: [...(group?.launcher ?? []), ...names.launcher, ...onPlatformCore],
    env: {
      NODE_ENV: "production",
      ...program.env,
      NODE_OPTIONS: `${program.env["NODE_OPTIONS"] ?? ""} ${heap} --import=${probe.href}`,
    },
    onLine: (line) => {
      if (/"level":"(error|fatal)"/.test(line)) process.stderr.write(`${line.slice(0, 2_000)}\n`);
    },
  });
}
