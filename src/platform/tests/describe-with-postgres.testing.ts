import { afterAll, beforeAll, describe, it } from "vitest";
import { missingPostgres } from "./find-postgres.testing.ts";
import { type PostgresOptions, PostgresServer } from "./postgres-server.testing.ts";

/**
 * A suite with a PostgreSQL of its own, there from the first test to the last. Where none can be had the suite is
 * skipped, loudly; with `CI=true` it fails, because there nobody would read that nothing was tested.
 */
export function describeWithPostgres(
  name: string,
  tests: (postgres: () => PostgresServer) => void,
  options: PostgresOptions = {},
): void {
  const missing = missingPostgres();
  if (missing !== undefined && process.env["CI"] === "true") {
    describe(name, () => {
      it("has a PostgreSQL", () => {
        throw missing;
      });
    });
    return;
  }
  if (missing !== undefined) {
    process.stderr.write(`SKIPPED "${name}": ${missing.message}\n`);
    describe.skip(`${name} (skipped: ${missing.message})`, () => tests(() => never()));
    return;
  }
  describe(name, { timeout: 30_000 }, () => {
    let server: PostgresServer | undefined;
    beforeAll(async () => {
      server = await PostgresServer.start(options);
    }, 60_000);
    afterAll(() => server?.stop());
    tests(() => server ?? never());
  });
}

function never(): never {
  throw new Error("the database is there only while a test runs: ask for it inside of the test");
}
