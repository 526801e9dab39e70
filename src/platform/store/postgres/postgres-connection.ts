import { hash } from "node:crypto";
import { type CustomTypesConfig, type PoolClient, type QueryResult, types } from "pg";
import type { CompiledQuery, Compiler } from "../compiler.ts";
import type { Query, Statement, Writer } from "../database.ts";

/**
 * The queries that are prepared: their number, their length in characters, and that of all of them. The database keeps a
 * prepared query until its connection closes, and their texts depend on requests. Beyond these limits, queries are planned
 * for each call. Statements are constants of the code, which are all prepared.
 */
const preparedQueries = { number: 200, length: 8_192, total: 512 * 1024 };
const statementNames = new Map<string, string>();
const queryNames = new Map<string, string>();
let queryLength = 0;

/** The connection of one transaction. It prepares the texts of its statements. */
export class PostgresConnection implements Writer {
  readonly #client: PoolClient;
  readonly #compiler: Compiler;
  /** The error of the first statement that failed. All later statements fail too, until a rollback to a savepoint. */
  failure: unknown;

  constructor(client: PoolClient, compiler: Compiler) {
    this.#client = client;
    this.#compiler = compiler;
  }

  async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return (await this.#run(statement, parameters)).rows as R[];
  }

  async first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    return (await this.#run(statement, parameters)).rows[0] as R | undefined;
  }

  async query<R>(query: Query<R>): Promise<R[]> {
    const compiled = this.#compiler.query(query);
    return (await this.#send(compiled, queryName(compiled.sql))).rows as R[];
  }

  async run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number> {
    return (await this.#run(statement, parameters)).rowCount ?? 0;
  }

  /** Runs one or more statements without parameters. */
  async exec(sql: string): Promise<void> {
    await this.#recordFailure(this.#client.query(sql));
  }

  /** Undoes the statements since a savepoint, and a failure of one of them, and begins the next savepoint. */
  async undo(savepoint: string, next: string): Promise<void> {
    await this.exec(`rollback to savepoint ${savepoint}; release savepoint ${savepoint}; savepoint ${next}`);
    this.failure = undefined;
  }

  /**
   * @throws unknown the error of the statement that failed before, after which the database rolls back without an error
   * @throws Error if the outcome is unknown: somebody cancelled the wait for a synchronous standby, and a failover would undo the write
   */
  async commit(): Promise<void> {
    let warning: string | undefined;
    const notice = ({ code, message }: { readonly code: string | undefined; readonly message: string | undefined }) => {
      if (code?.startsWith("01")) warning = message;
    };
    this.#client.on("notice", notice);
    const { command } = await this.#recordFailure(this.#client.query("commit"));
    this.#client.off("notice", notice);
    if (command !== "COMMIT") throw this.failure ?? new Error(`the database responded to commit with ${command}`);
    if (warning !== undefined) throw new Error(`the database warned of the commit: ${warning}`);
  }

  #run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<QueryResult> {
    const compiled = this.#compiler.statement(statement, parameters);
    return this.#send(compiled, statementName(compiled.sql));
  }

  #send({ sql, parameters }: CompiledQuery, name: string | undefined): Promise<QueryResult> {
    const query = { text: sql, values: parameters.map(written) };
    return this.#recordFailure(this.#client.query(name === undefined ? query : { ...query, name }));
  }

  async #recordFailure<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      this.failure ??= error;
      throw error;
    }
  }
}

function statementName(sql: string): string {
  let name = statementNames.get(sql);
  if (name === undefined) {
    name = nameOf(sql);
    statementNames.set(sql, name);
  }
  return name;
}

/** Undefined if the query is not prepared. */
function queryName(sql: string): string | undefined {
  const known = queryNames.get(sql);
  const { number, length, total } = preparedQueries;
  if (known !== undefined || queryNames.size >= number || sql.length > length || queryLength + sql.length > total)
    return known;
  const name = nameOf(sql);
  queryNames.set(sql, name);
  queryLength += sql.length;
  return name;
}

function nameOf(sql: string): string {
  return hash("sha256", sql, "base64url");
}

/**
 * PostgreSQL's text stores every character but U+0000. U+0000 and U+0001 are therefore each escaped as two characters,
 * which preserves equality and order.
 */
const escapes: Readonly<Record<string, string>> = { "\u0000": "\u0001\u0001", "\u0001": "\u0001\u0002" };
const unescapes: Readonly<Record<string, string>> = { "\u0001\u0001": "\u0000", "\u0001\u0002": "\u0001" };

function written(value: unknown): unknown {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it escapes.
  // oxlint-disable-next-line no-control-regex
  return typeof value === "string" ? value.replace(/[\u0000\u0001]/g, (char) => escapes[char] ?? char) : value;
}

function readText(value: string): string {
  // oxlint-disable-next-line no-control-regex
  return value.includes("\u0001") ? value.replace(/\u0001[\u0001\u0002]/g, (pair) => unescapes[pair] ?? pair) : value;
}

/** Parses a 64-bit integer: a time or a count, which a number represents exactly. */
function readInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is not a safe integer`);
  return number;
}

export const typeParsers: CustomTypesConfig = {
  getTypeParser: (type, format) => {
    if (type === types.builtins.INT8) return readInteger;
    if (type === types.builtins.TEXT) return readText;
    return types.getTypeParser(type, format);
  },
};
