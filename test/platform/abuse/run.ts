import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onPlatformCore } from "#test/platform/bench/cores.ts";
import { dataSource } from "#test/platform/bench/data-source.ts";
import { Issuer } from "#test/platform/bench/issuer.ts";
import type { Backend } from "#test/platform/bench/options.ts";
import type { Run } from "#test/support/bench/benchmark.ts";
import { count, mebibytes, milliseconds, type Outcome, percent } from "#test/support/bench/outcome.ts";
import { percentile } from "#test/support/bench/percentile.ts";
import { memoryMiB, resetPeakMemory } from "#test/support/bench/process-usage.ts";
import { PlatformProcess } from "#test/support/harness/platform-process.ts";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import type { Tally } from "./abuser/protocol.ts";
import { auditLogMiB } from "./audit-log-size.ts";
import { AbuserProcess } from "./abuser-process.ts";
import { Bystander } from "./bystander.ts";
import type { AbuseKind } from "./abuse-kind.ts";
import { MemoryGroup } from "./memory-group.ts";
import { Names } from "./names.ts";
import { filledTenants, type Tenants } from "./tenants.ts";

const noAbuse: Tally = { counts: {}, cpuMilliseconds: 0 };
const probe = new URL("probe/preload.ts", import.meta.url);

/** What holds for a bystander and for the platform during every kind of abuse. */
export const goals = {
  /** Of the bystander's calls. */
  p99Milliseconds: 250,
  /** Of the platform's process. */
  rssMiB: 512,
  /** The longest block of the event loop. It is only reported: a miss does not fail the run. */
  blockMilliseconds: 50,
} as const;

export const blockName = "longest block";

/** Runs the kinds, after a run without abuse, each on a platform of its own. */
export async function runKinds(
  run: Run,
  backend: Backend,
  kinds: readonly AbuseKind[],
  seconds: number,
): Promise<void> {
  const { folder } = run;
  await using resources = new AsyncDisposableStack();
  const { path: filled, adminTokenFile, tenants } = await filledTenants(run.data);
  const { newData } = await dataSource(resources, { backend, folder, filled });
  const certificate = join(folder, "issuer.pem");
  const names = resources.adopt(await Names.start(folder), (one) => one.stop());
  const issuer = resources.adopt(await Issuer.start(certificate, names.bystanders), (one) => one.stop());
  const setting = `${backend}, ${seconds} s each`;
  for (const kind of [undefined, ...kinds]) {
    const { flags: location, database } = await newData();
    const flags = [...location, "--key-file", join(folder, "key"), "--admin-token-file", adminTokenFile];
    for (const url of [issuer.url, ...names.bystanders.map((name) => issuer.urlAt(name))])
      flags.push("--trusted-issuer", `${url},ca=${certificate}`);
    run.report({
      setting,
      ...(await measure({ run, data: database, flags, names, issuer, tenants, kind, seconds })),
    });
  }
}

interface Measurement {
  readonly run: Run;
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

async function measure(measurement: Measurement): Promise<Outcome> {
  const { run, data, names, issuer, tenants, kind, seconds } = measurement;
  const { folder } = run;
  await using resources = new AsyncDisposableStack();
  const abuser = resources.adopt(await AbuserProcess.start(folder), (one) => one.stop());
  const group = kind?.memoryMiB === undefined ? undefined : await MemoryGroup.create(kind.memoryMiB);
  resources.defer(() => group?.remove());
  const tls = kind?.tls === true ? await certificateFlags(folder) : [];
  const platform = resources.adopt(startPlatform(measurement, abuser, tls, group), (one) => one.kill());
  const { baseUrl: origin } = await platform.listening();
  const bystander = await Bystander.start({ origin, tenants, issuer, names: names.bystanders });
  resources.defer(() => bystander.stop());
  if (kind !== undefined) await abuser.prepare({ kind: kind.name, origin, tenants });
  await bystander.warmUp();
  await resetPeakMemory(platform.pid);
  const from = platform.log.length;
  const [started, waitedBefore] = [performance.now(), await waitedForCore(platform.pid)];
  const auditBefore = await auditLogMiB(data);
  if (kind !== undefined) abuser.abuse();
  const { latencies, failures } = await bystander.run(seconds);
  // Of a platform that has ended, there is nothing to measure.
  const { running } = platform;
  const waited = running ? (await waitedForCore(platform.pid)) - waitedBefore : Number.NaN;
  const elapsed = performance.now() - started;
  const peakMiB = running ? (await memoryMiB(platform.pid)).peak : Number.NaN;
  const { counts, cpuMilliseconds } = kind === undefined ? noAbuse : await abuser.end();
  const blocks = platform.log
    .slice(from)
    .flatMap((line) => (line.msg === "event loop" ? Number(line["longestBlock"]) : []));
  const ended = platform.running ? [] : [`the platform ended: ${platform.signalCode ?? platform.exitCode}`];
  // Not a number, which misses the goal, if the platform has ended.
  const goalMiB = ended.length === 0 ? peakMiB : Number.NaN;
  const failed = Object.values(failures).reduce((sum, one) => sum + one, 0);
  return {
    case: kind?.name ?? "baseline",
    figures: [
      count("calls", latencies.length),
      milliseconds("p50", percentile(latencies, 0.5)),
      milliseconds("p99", percentile(latencies, 0.99), goals.p99Milliseconds),
      count("failed", failed, 0),
      mebibytes("peak memory", goalMiB, goals.rssMiB),
      milliseconds(blockName, Math.max(0, ...blocks), goals.blockMilliseconds),
      percent("waited", waited / elapsed),
      percent("abuser's CPU", cpuMilliseconds / elapsed),
      mebibytes("audit log", (await auditLogMiB(data)) - auditBefore),
    ],
    note: [...ended, ...mostFrequent(failures).map((one) => `failed: ${one}`), ...mostFrequent(counts)].join(", "),
    details: { failures, abuse: counts, ...(ended.length === 0 ? {} : { output: platform.lastOutput().slice(-300) }) },
  };
}

function mostFrequent(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 5)
    .map(([code, number]) => `${code}: ${number}`);
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
  { run: { program }, flags, names, kind }: Measurement,
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
