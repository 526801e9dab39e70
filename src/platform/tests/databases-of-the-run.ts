import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { PostgresDatabase } from "#src/platform/store/postgres/postgres-database.ts";
import { PostgresServer } from "./postgres-server.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** What platforms of the tests keep their data in. */
    backend: "sqlite" | "postgres";
    /** Answers a POST with the address of a new PostgreSQL database that has the platform's schema and nothing else. */
    databases: string;
  }
}

/**
 * Set up once for a whole run of tests: one PostgreSQL for all files, started when the first of them asks for a
 * database. Each database is a copy of one that has the schema, which costs less than making the schema anew.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let databases: Promise<Databases> | undefined;
  const port = createServer((_request, response) => {
    databases ??= Databases.start();
    databases
      .then((there) => there.next())
      .then(
        (url) => response.end(url),
        (error: Error) => response.writeHead(500).end(error.message),
      );
  }).listen(0, "127.0.0.1");
  await once(port, "listening");
  project.provide("databases", `http://127.0.0.1:${(port.address() as AddressInfo).port}`);
  return async () => {
    port.closeAllConnections();
    port.close();
    // Where it could not be started, whoever asked was told.
    await (await databases?.catch(() => undefined))?.stop();
  };
}

class Databases {
  readonly #server: PostgresServer;
  readonly #template: string;

  private constructor(server: PostgresServer, template: string) {
    this.#server = server;
    this.#template = template;
  }

  static async start(): Promise<Databases> {
    const server = await PostgresServer.start();
    const url = await server.newDatabase();
    await (await PostgresDatabase.open(url, { connections: 1 })).close();
    return new Databases(server, new URL(url).pathname.slice(1));
  }

  next(): Promise<string> {
    return this.#server.newDatabase(this.#template);
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
