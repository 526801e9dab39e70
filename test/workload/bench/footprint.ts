import { mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { selfSignedCertificate } from "#src/platform/tests/self-signed.testing.ts";
import type { Program } from "#test/support/bench/bundle.ts";
import { MusterProcess } from "#test/support/harness/muster-process.ts";
import { listenOnLoopback } from "#test/support/loopback.ts";

/** The memory of a process. Pages that it shares with other processes, such as the runtime's file, are not private. */
export interface Footprint {
  readonly privateMiB: number;
  readonly rssMiB: number;
}

export interface AgentFootprint {
  readonly afterOne: Footprint;
  readonly afterMany: Footprint;
  readonly startCpuMs: number;
  /** Per exchange, with the collection of garbage that follows. */
  readonly renewalCpuMs: number;
  readonly restCpuMs: number;
}

/** A process settles for this time before its memory is read. */
const settleMs = 2_000;
/** V8 collects garbage once more about 8 s after an exchange; rest begins after that. */
const restAfterMs = 15_000;
/** The length of a token of the platform with a usual number of claims. */
const tokenLength = 900;

/** The memory of a Node.js that has made one request with the modules that the agent uses. */
export async function measureBareNode(env: Program["env"], folder: string): Promise<Footprint> {
  return withTokenService(folder, 3_600, async ({ url, certificate }) => {
    const program = join(folder, "bare.mjs");
    await writeFile(
      program,
      `import https from "node:https";
      import { readFileSync } from "node:fs";
      const agent = new https.Agent({ keepAlive: false, ca: readFileSync(${JSON.stringify(certificate)}) });
      https.get(${JSON.stringify(url)}, { agent }, (response) =>
        response.resume().on("end", () => process.stdout.write('{"msg":"exchanged","level":"info"}\\n')));
      setInterval(() => {}, 60_000);`,
    );
    const bare = new MusterProcess([], { program, env });
    try {
      await bare.logged("exchanged");
      await sleep(settleMs);
      return await footprint(bare.pid);
    } finally {
      await bare.kill();
    }
  });
}

/** @param rest seconds at rest @param renewals the number of exchanges before `afterMany` is measured */
export async function measureAgent(
  program: Program,
  folder: string,
  { rest, renewals }: { readonly rest: number; readonly renewals: number },
): Promise<AgentFootprint> {
  const atRest = await withTokenService(folder, 3_600, (service) =>
    withAgent(program, service, async (agent) => {
      await agent.logged("token renewed");
      const startCpuMs = await cpuMs(agent.pid);
      await sleep(settleMs);
      const afterOne = await footprint(agent.pid);
      await sleep(restAfterMs);
      const before = await cpuMs(agent.pid);
      await sleep(rest * 1_000);
      return { afterOne, startCpuMs, restCpuMs: (await cpuMs(agent.pid)) - before };
    }),
  );
  // Tokens that are valid for a second are renewed after a second.
  const renewed = await withTokenService(folder, 1, (service) =>
    withAgent(program, service, async (agent) => {
      await agent.logged("token renewed");
      const before = await cpuMs(agent.pid);
      for (let count = 1; count < renewals; count++) await agent.logged("token renewed", count);
      const renewalCpuMs = ((await cpuMs(agent.pid)) - before) / (renewals - 1);
      await sleep(settleMs);
      return { afterMany: await footprint(agent.pid), renewalCpuMs };
    }),
  );
  return { ...atRest, ...renewed };
}

interface TokenService {
  readonly url: string;
  /** The path of the file with its certificate. */
  readonly certificate: string;
  readonly folder: string;
}

async function withTokenService<T>(
  within: string,
  lifeSeconds: number,
  use: (service: TokenService) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(within, "agent-"));
  const { key, certificate: cert } = selfSignedCertificate();
  const certificate = join(folder, "ca.pem");
  await writeFile(certificate, cert);
  const server: Server = createServer({ key, cert }, (_, response) => {
    const expiry = new Date(Date.now() + lifeSeconds * 1_000).toISOString();
    response.end(JSON.stringify({ token: "t".repeat(tokenLength), expiry }));
  });
  const url = `https://127.0.0.1:${await listenOnLoopback(server)}`;
  try {
    return await use({ url, certificate, folder });
  } finally {
    server.close();
  }
}

async function withAgent<T>(
  { file, env }: Program,
  { url, certificate, folder }: TokenService,
  use: (agent: MusterProcess) => Promise<T>,
): Promise<T> {
  const source = join(folder, "source");
  await writeFile(source, "subject-token");
  const agent = new MusterProcess(["agent"], {
    program: file,
    env: {
      ...env,
      MUSTER_IDENTITY: "a".repeat(40),
      MUSTER_AUTH_URL: url,
      MUSTER_API_AUDIENCE: "https://platform.example.com",
      MUSTER_PLATFORM_CA: certificate,
      MUSTER_SUBJECT_TOKEN_FILE: source,
      MUSTER_TOKEN_FILE: join(folder, "token"),
    },
  });
  try {
    return await use(agent);
  } finally {
    await agent.kill();
  }
}

async function footprint(pid: number): Promise<Footprint> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8");
  const of = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(rollup)?.[1]) / 1_024;
  return { privateMiB: of("Private_Clean") + of("Private_Dirty"), rssMiB: of("Rss") };
}

/** The time on a CPU, of all threads, in nanoseconds of resolution. */
async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map(async (thread) =>
      Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8")).split(" ")[0]),
    ),
  );
  return times.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}
