import { afterAll, beforeAll, describe, it } from "vitest";
import { missingPostgres } from "./find-postgres.testing.ts";
import { type PostgresOptions, PostgresServer } from "./postgres-server.testing.ts";

/**
 * A suite that needs PostgreSQL. If it is missing, the suite is skipped with a message on stderr; with `CI=true` it fails.
 */
export function describeIfPostgres(name: string, tests: () => void): void {
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
    describe.skip(`${name} (skipped: ${missing.message})`, tests);
    return;
  }
  describe(name, { timeout: 30_000 }, tests);
}

/** A suite with a PostgreSQL server of its own, because it stops the server, or starts it with other options. */
export function describeWithPostgres(
  name: string,
  tests: (postgres: () => PostgresServer) => void,
  options: PostgresOptions = {},
): void {
  describeIfPostgres(name, () => {
    let server: PostgresServer | undefined;
    beforeAll(async () => {
      server = await PostgresServer.start(options);
    }, 60_000);
    afterAll(() => server?.stop());
    tests(() => {
      if (server === undefined)
        throw new Error("the server runs only during the tests: call postgres() in a test or hook");
      return server;
    });
  });
}
