import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { readCommandLine, wholeNumber } from "#test/support/command-line.ts";
import { type Failure, failoverLoop, seconds } from "./failover-loop.ts";
import { type KillLoop, killLoop } from "./kill-loop.ts";

const usage = `Usage: npm run kill:platform -- [--sqlite N] [--postgres N] [--failover N] [--frozen N]

Kills a platform with SIGKILL during writes, again and again, and checks after each restart that every acknowledged
write is there and that no write was applied in part. Then lets the primary of PostgreSQL fail, again and again, and
promotes its synchronous standby: no acknowledged write is lost or doubled, and no call takes longer than 10 s.

  --sqlite N     number of kills with SQLite (default 200)
  --postgres N   number of kills with PostgreSQL and two replicas, one of which is killed (default 50)
  --failover N   number of primaries that are killed (default 20)
  --frozen N     number of primaries that stop, and go on when the standby is the primary (default 5)
  --help         print this text
`;

const options = readCommandLine({ name: "kill:platform", usage }, readOptions);
const folder = mkdtempSync(join(tmpdir(), "muster-kill-"));
try {
  if (options.sqlite > 0) await run("SQLite", options.sqlite, ["--data", join(folder, "data")], 1);
  if (options.postgres > 0) {
    const server = await PostgresServer.start({ durable: true });
    try {
      await run("PostgreSQL, two replicas", options.postgres, ["--database", await server.newDatabase()], 2);
    } finally {
      await server.stop();
    }
  }
  await runFailovers([
    ...Array<Failure>(options.failover).fill("killed"),
    ...Array<Failure>(options.frozen).fill("frozen"),
  ]);
} finally {
  rmSync(folder, { recursive: true });
}

async function run(
  name: string,
  rounds: number,
  data: readonly string[],
  replicas: KillLoop["replicas"],
): Promise<void> {
  const { acknowledged, auditRecords } = await killLoop({
    rounds,
    data,
    replicas,
    keyFile: join(folder, `key-${replicas}`),
    adminTokenFile: join(folder, `admin-token-${replicas}`),
    progress: (line) => console.log(`${name}: ${line}`),
  });
  console.log(
    `${name}: ${rounds} kills, no write lost or partial; ${acknowledged} acknowledged writes, ${auditRecords} audit records`,
  );
}

async function runFailovers(failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return;
  const { acknowledged, auditRecords, waits } = await failoverLoop({
    failures,
    keyFile: join(folder, "key-failover"),
    adminTokenFile: join(folder, "admin-token-failover"),
    progress: (line) => console.log(`PostgreSQL, failover: ${line}`),
  });
  const sorted = waits.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `PostgreSQL: ${failures.length} failovers, no write lost, doubled or partial; ${acknowledged} acknowledged writes, ` +
      `${auditRecords} audit records; the longest call of a round took ${seconds(middle)} (p50), at most ${seconds(sorted.at(-1) ?? 0)}`,
  );
}

interface Options {
  readonly sqlite: number;
  readonly postgres: number;
  readonly failover: number;
  readonly frozen: number;
}

function readOptions(): Options | "help" {
  const { values } = parseArgs({
    options: {
      sqlite: { type: "string", default: "200" },
      postgres: { type: "string", default: "50" },
      failover: { type: "string", default: "20" },
      frozen: { type: "string", default: "5" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return "help";
  return {
    sqlite: wholeNumber("--sqlite", values.sqlite),
    postgres: wholeNumber("--postgres", values.postgres),
    failover: wholeNumber("--failover", values.failover),
    frozen: wholeNumber("--frozen", values.frozen),
  };
}
