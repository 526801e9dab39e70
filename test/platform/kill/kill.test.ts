import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { describeIfPostgres, describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { inFewTurns } from "#test/support/turn/in-turn.ts";
import { failoverLoop } from "./failover-loop.ts";
import { killLoop } from "./kill-loop.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-kill-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = (name: string) => ({
  keyFile: join(folder, `${name}.key`),
  adminTokenFile: join(folder, `${name}.admin-token`),
  progress: () => {},
});

/** A run has one of them: `npm run kill:platform` has all at length, and the tests of the process kill SQLite once. */
const victims = inFewTurns(3, ["SQLite", "PostgreSQL", "primary"]);

if (victims.includes("SQLite"))
  it("SQLite keeps every acknowledged write over 10 kills during writes", { timeout: 120_000 }, async () => {
    const data = ["--data", join(folder, "sqlite")];
    const { acknowledged } = await killLoop({ rounds: 10, data, replicas: 1, ...files("sqlite") });
    expect(acknowledged).toBeGreaterThan(200);
  });

if (victims.includes("PostgreSQL"))
  describeWithPostgres("PostgreSQL with two replicas", (postgres) => {
    it("keeps every acknowledged write over 5 kills of a replica during writes", { timeout: 120_000 }, async () => {
      const data = ["--database", await postgres().newDatabase()];
      const { acknowledged } = await killLoop({ rounds: 5, data, replicas: 2, ...files("postgres") });
      expect(acknowledged).toBeGreaterThan(100);
    });
  });

if (victims.includes("primary"))
  describeIfPostgres("PostgreSQL with a synchronous standby", () => {
    it("keeps every acknowledged write over two failovers", { timeout: 120_000 }, async () => {
      const { acknowledged } = await failoverLoop({ failures: ["killed", "frozen"], ...files("failover") });
      expect(acknowledged).toBeGreaterThan(200);
    });
  });
