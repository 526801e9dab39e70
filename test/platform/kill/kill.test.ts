import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { killLoop } from "./kill-loop.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = (name: string) => ({
  keyFile: join(folder, `${name}.key`),
  adminTokenFile: join(folder, `${name}.admin-token`),
  progress: () => {},
});

// The whole of it, 200 and 50 times: node test/platform/kill.ts
it("kill -9 in a loop of writes, 10 times on SQLite", { timeout: 120_000 }, async () => {
  const data = ["--data", join(folder, "sqlite")];
  const { acknowledged } = await killLoop({ rounds: 10, data, replicas: 1, ...files("sqlite") });
  expect(acknowledged).toBeGreaterThan(200);
});

describeWithPostgres("kill -9 on PostgreSQL", (postgres) => {
  it("of one of two replicas in a loop of writes, 5 times", { timeout: 120_000 }, async () => {
    const data = ["--database", await postgres().newDatabase()];
    const { acknowledged } = await killLoop({ rounds: 5, data, replicas: 2, ...files("postgres") });
    expect(acknowledged).toBeGreaterThan(100);
  });
});
