import { hash } from "node:crypto";
import { type CustomTypesConfig, type PoolClient, type QueryResult, types } from "pg";
import type { CompiledQuery, Compiler } from "../compiler.ts";
import type { Query, Statement, Writer } from "../database.ts";

/** The most texts that are prepared. Dynamic queries have many; beyond this limit they are planned for each call. */
const maximumPrepared = 500;
const preparedNames = new Map<string, string>();

/** The connection of one transaction. It prepares the texts of its statements. */
export class PostgresConnection implements Writer {
  readonly #client: PoolClient;
  readonly #compiler: Compiler;
  /** The error of the first statement that failed. All later statements of the transaction fail too. */
  failure: unknown;

  constructor(client: PoolClient, compiler: Compiler) {
    this.#client = client;
    this.#compiler = compiler;
  }

  async all<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R[]> {
    return (await this.#send(this.#compiler.statement(statement, parameters))).rows as R[];
  }

  async first<P extends object, R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined> {
    return (await this.#send(this.#compiler.statement(statement, parameters))).rows[0] as R | undefined;
  }

  async query<R>(query: Query<R>): Promise<R[]> {
    return (await this.#send(this.#compiler.query(query))).rows as R[];
  }

  async run<P extends object>(statement: Statement<P, unknown>, parameters: P): Promise<number> {
    return (await this.#send(this.#compiler.statement(statement, parameters))).rowCount ?? 0;
  }

  /** Runs one or more statements without parameters. */
  async exec(sql: string): Promise<void> {
    await this.#recordFailure(this.#client.query(sql));
  }

  /** @throws Error if the database rolled back instead, which it does without an error if a statement failed before */
  async commit(): Promise<void> {
    const { command } = await this.#recordFailure(this.#client.query("commit"));
    if (command !== "COMMIT") throw new Error(`the database responded to commit with ${command}`);
  }

  #send({ sql, parameters }: CompiledQuery): Promise<QueryResult> {
    const name = preparedName(sql);
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

function preparedName(sql: string): string | undefined {
  const known = preparedNames.get(sql);
  if (known !== undefined || preparedNames.size >= maximumPrepared) return known;
  const name = hash("sha256", sql, "base64url");
  preparedNames.set(sql, name);
  return name;
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
