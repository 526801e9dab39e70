import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { readCommandLine, wholeNumber } from "#test/support/command-line.ts";
import { fuzz, type FuzzRun } from "./fuzz.ts";
import { PlatformUnderTest } from "./platform-under-test.ts";

const usage = `Usage: npm run fuzz:platform -- [--requests N] [--seed S] [--postgres] [--url URL --token-file FILE]

Sends random requests to a platform and checks each response against the platform's contract. By default it starts a
platform of its own with SQLite. It exits with 1 if there is a finding.

  --requests N       number of requests over REST, gRPC, Connect and raw bytes together (default 50000)
  --seed S           seed of the random requests; the same seed gives the same requests (default random)
  --postgres         start the platform with a PostgreSQL server of its own instead of SQLite
  --url URL          test the platform at URL instead of starting one
  --token-file FILE  the file with the administrator's token of that platform
  --time-limit MS    time limit of each response in milliseconds (default 10000)
  --help             print this text
`;

const options = readCommandLine({ name: "fuzz:platform", usage }, readOptions);
const { requests, seed, timeLimit, remote } = options;
const progress = (line: string) => console.log(line);
const settings = { requests, seed, timeLimit, progress };
const succeeded = await (remote === undefined ? fuzzOwnPlatform() : fuzzAndReport({ ...settings, ...remote }));
process.exitCode = succeeded ? 0 : 1;

/** @returns whether there is no finding */
async function fuzzAndReport(run: FuzzRun): Promise<boolean> {
  const started = performance.now();
  const { findings, responses, neverSucceeded } = await fuzz(run);
  for (const line of findings.lines(run.seed)) console.log(line);
  for (const [protocol, counts] of Object.entries(responses)) {
    const sorted = [...counts].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`${protocol}: ${sorted.join(", ")}`);
  }
  if (neverSucceeded.length > 0) console.log(`operations that never succeeded: ${neverSucceeded.join(", ")}`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${run.requests} requests, seed ${run.seed}, ${seconds} s: ${findings.count} findings`);
  return findings.count === 0;
}

async function fuzzOwnPlatform(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "muster-fuzz-"));
  const server = options.postgres ? await PostgresServer.start() : undefined;
  try {
    const data = server === undefined ? ["--data", join(folder, "data")] : ["--database", await server.newDatabase()];
    const platform = await PlatformUnderTest.start(data, folder);
    try {
      const { url, adminToken } = platform;
      return await fuzzAndReport({ ...settings, url, adminToken, errorLog: () => platform.errorLog });
    } finally {
      await platform.stop();
    }
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}

interface Options extends Pick<FuzzRun, "requests" | "seed" | "timeLimit"> {
  readonly postgres: boolean;
  readonly remote: Pick<FuzzRun, "url" | "adminToken"> | undefined;
}

function readOptions(): Options | "help" {
  const { values } = parseArgs({
    options: {
      requests: { type: "string", default: "50000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
      postgres: { type: "boolean", default: false },
      url: { type: "string" },
      "token-file": { type: "string" },
      "time-limit": { type: "string", default: "10000" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    requests: wholeNumber("--requests", values.requests),
    seed: wholeNumber("--seed", values.seed),
    timeLimit: wholeNumber("--time-limit", values["time-limit"]),
    postgres: values.postgres,
    remote: values.url === undefined ? undefined : readRemote(values.url, values["token-file"]),
  };
}

function readRemote(url: string, tokenFile: string | undefined): Options["remote"] {
  if (tokenFile === undefined) throw new Error("--url: set --token-file FILE too");
  return { url: url.replace(/\/$/, ""), adminToken: readFileSync(tokenFile, "utf8").trim() };
}
