import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { PlatformProcess } from "./platform-process.ts";
import { fuzz, type FuzzRun } from "./run.ts";

const usage = `npm run fuzz:platform -- [--requests N] [--seed S] [--postgres] [--url URL --token-file FILE]

Sends random requests to a platform and holds the answers against its contract: 50,000 by default, to a platform of its own.
  --requests N       how many, over REST, gRPC, Connect and bare bytes together
  --seed S           the same seed draws the same requests; a random one by default
  --postgres         its own platform keeps its data in a PostgreSQL server of its own, in place of SQLite
  --url URL          another platform in the place of its own; --token-file has its admin's token
  --time-limit MS    how long an answer may take (10000)`;

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
if (values.help) {
  console.log(usage);
  process.exit(0);
}

const whole = (name: "requests" | "seed" | "time-limit"): number => {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  console.error(`--${name} must be a whole number\n\n${usage}`);
  process.exit(2);
};
const settings = {
  requests: whole("requests"),
  seed: whole("seed"),
  timeLimit: whole("time-limit"),
  progress: (line: string) => console.log(line),
};

async function report(run: FuzzRun): Promise<boolean> {
  const started = performance.now();
  const { findings, answers, unreached } = await fuzz(run);
  for (const line of findings.lines(run.seed)) console.log(line);
  for (const [kind, counts] of Object.entries(answers)) {
    const told = [...counts].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`${kind}: ${told.join(", ")}`);
  }
  if (unreached.length > 0) console.log(`never succeeded: ${unreached.join(", ")}`);
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${run.requests} requests, seed ${run.seed}, ${seconds} s: ${findings.count} findings`);
  return findings.count === 0;
}

async function ofItsOwn(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "muster-fuzz-"));
  const server = values.postgres ? await PostgresServer.start() : undefined;
  try {
    const data = server === undefined ? ["--data", join(folder, "data")] : ["--database", await server.newDatabase()];
    const platform = await PlatformProcess.start(data, folder);
    try {
      await PlatformProcess.loadExamples(data);
      return await report({
        ...settings,
        url: platform.url,
        adminToken: platform.adminToken,
        complaints: platform.complaints,
      });
    } finally {
      await platform.stop();
    }
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true });
  }
}

async function ofAnother(url: string, tokenFile: string | undefined): Promise<boolean> {
  if (tokenFile === undefined) {
    console.error(`--url needs --token-file\n\n${usage}`);
    process.exit(2);
  }
  return report({ ...settings, url: url.replace(/\/$/, ""), adminToken: readFileSync(tokenFile, "utf8").trim() });
}

const isFine = await (values.url === undefined ? ofItsOwn() : ofAnother(values.url, values["token-file"]));
process.exitCode = isFine ? 0 : 1;
