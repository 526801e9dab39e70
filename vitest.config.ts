import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { missingPostgres } from "./src/platform/tests/find-postgres.testing.ts";

const platformTests = "src/platform/tests/*.test.ts";
/** These tests need no database, or use a SQLite file of their own. */
const onFilesOnly = ["access-model", "process", "secrets-at-rest"].map((name) => `src/platform/tests/${name}.test.ts`);

// If PostgreSQL is missing, its tests are skipped with a message; with `CI=true`, each of them fails instead.
const missing = missingPostgres();
if (missing !== undefined) process.stderr.write(`SKIPPED all tests of the API on PostgreSQL: ${missing.message}\n`);

// The projects differ in what they need: `unit` needs only this process and loopback; `postgres` runs the tests of the
// platform's API again, on PostgreSQL; `cluster` needs a real kube-apiserver (see test/control-plane), and starts the
// parts of Muster as processes.
export default defineConfig({
  test: {
    // Tests of processes mostly wait, so two workers are not too many for two cores.
    maxWorkers: Math.max(2, Math.floor(availableParallelism() / 2)),
    reporters: ["default", "./scripts/count-reporter.ts"],
    globalSetup: "src/platform/tests/provide-databases.testing.ts",
    provide: { backend: "sqlite" },
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts", "scripts/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "postgres",
          include: missing === undefined || process.env["CI"] === "true" ? [platformTests] : [],
          exclude: onFilesOnly,
          provide: { backend: "postgres" },
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "cluster",
          include: ["{test,demo}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
