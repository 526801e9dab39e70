import type { DatabaseSync } from "node:sqlite";
import type { Client } from "pg";
import { type CompiledQuery, Compiler, postgresDialect, sqliteDialect } from "./compiler.ts";
import type { Reader } from "./database.ts";

/** A reader of a SQLite file that runs each statement. @param explained receives each step of its plan */
export function sqliteExplaining(file: DatabaseSync, explained: (step: string) => void): Reader {
  return explaining(new Compiler(sqliteDialect), async ({ sql, parameters }) => {
    const values = parameters as string[];
    for (const { detail } of file.prepare(`explain query plan ${sql}`).all(...values)) explained(String(detail));
    return file.prepare(sql).all(...values);
  });
}

/** A reader of PostgreSQL that runs each statement. @param explained receives the rows that each step of it returned or removed */
export function postgresExplaining(client: Client, explained: (rows: number) => void): Reader {
  return explaining(new Compiler(postgresDialect), async ({ sql, parameters }) => {
    const values = [...parameters];
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain (analyze, timing off) ${sql}`, values);
    for (const { "QUERY PLAN": line } of rows) {
      const returned = /actual rows=([\d.]+)/.exec(line)?.[1];
      const removed = /Rows Removed by Filter: (\d+)/.exec(line)?.[1];
      explained(Number(returned ?? removed ?? 0));
    }
    const result = await client.query<Record<string, unknown>>({ text: sql, values });
    return result.rows.map((row) => ({
      ...row,
      ...(row["sequence"] === undefined ? {} : { sequence: Number(row["sequence"]), time: Number(row["time"]) }),
    }));
  });
}

function explaining(compiler: Compiler, run: (query: CompiledQuery) => Promise<unknown[]>): Reader {
  return {
    all: async (statement, parameters) => (await run(compiler.statement(statement, parameters))) as never,
    first: async (statement, parameters) => (await run(compiler.statement(statement, parameters)))[0] as never,
    query: async (query) => (await run(compiler.query(query))) as never,
  };
}
