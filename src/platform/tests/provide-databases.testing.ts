import { createServer } from "node:http";
import type { TestProject } from "vitest/node";
import { PostgresDatabase } from "#src/platform/store/postgres/postgres-database.ts";
import { closeServer, listenOnLoopback } from "#test/support/loopback.ts";
import { PostgresServer } from "./postgres-server.testing.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The backend of the platforms under test. */
    backend: "sqlite" | "postgres";
    /** A URL whose POST returns the URL of a new PostgreSQL database with the platform's schema and no rows. */
    databases: string;
  }
}

/**
 * The global setup of a test run: one PostgreSQL server for all test files, started when the first file requests a
 * database. Each database is a copy of a template with the schema, which is faster than creating the schema again.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let databases: Promise<DatabaseCopies> | undefined;
  const port = createServer((_request, response) => {
    databases ??= DatabaseCopies.start();
    databases
      .then((there) => there.next())
      .then(
        (url) => response.end(url),
        (error: Error) => response.writeHead(500).end(error.message),
      );
  });
  project.provide("databases", `http://127.0.0.1:${await listenOnLoopback(port)}`);
  return async () => {
    void closeServer(port);
    // If the server did not start, the requests for databases have failed with the reason.
    await (await databases?.catch(() => undefined))?.stop();
  };
}

class DatabaseCopies {
  readonly #server: PostgresServer;
  readonly #template: string;

  private constructor(server: PostgresServer, template: string) {
    this.#server = server;
    this.#template = template;
  }

  static async start(): Promise<DatabaseCopies> {
    const server = await PostgresServer.start();
    const url = await server.newDatabase();
    await (await PostgresDatabase.open(url, { connections: 1 })).close();
    return new DatabaseCopies(server, new URL(url).pathname.slice(1));
  }

  next(): Promise<string> {
    return this.#server.newDatabase(this.#template);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
