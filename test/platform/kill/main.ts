import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PostgresServer } from "#src/platform/tests/postgres-server.testing.ts";
import { killLoop } from "./kill-loop.ts";

/** `node test/platform/kill.ts [--sqlite 200] [--postgres 50]`: kills platforms so many times, and looks what is left. */
const { values } = parseArgs({
  options: { sqlite: { type: "string", default: "200" }, postgres: { type: "string", default: "50" } },
});

const folder = mkdtempSync(join(tmpdir(), "muster-kill-"));
const files = (name: string) => ({
  keyFile: join(folder, `${name}.key`),
  adminTokenFile: join(folder, `${name}.admin-token`),
  progress: (line: string) => console.log(`${name}: ${line}`),
});
try {
  if (Number(values.sqlite) > 0) {
    const data = ["--data", join(folder, "data")];
    const result = await killLoop({ rounds: Number(values.sqlite), data, replicas: 1, ...files("SQLite") });
    console.log(`SQLite: killed ${values.sqlite} times; nothing lost, nothing half-done`, result);
  }
  if (Number(values.postgres) > 0) {
    const server = await PostgresServer.start({ durable: true });
    try {
      const data = ["--database", await server.newDatabase()];
      const result = await killLoop({ rounds: Number(values.postgres), data, replicas: 2, ...files("PostgreSQL") });
      console.log(`PostgreSQL, two replicas: killed ${values.postgres} times; nothing lost, nothing half-done`, result);
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
