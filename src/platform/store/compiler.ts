import {
  type Dialect,
  DummyDriver,
  Kysely,
  type LimitNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from "kysely";
import type { Query, Statement } from "./database.ts";
import type { Tables } from "./schema/tables.ts";

/** Takes the place of a parameter while a statement is compiled. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** Compiles queries to the SQL of one backend, and each statement only once. */
export class Compiler {
  readonly #db: Kysely<Tables>;
  readonly #statements = new WeakMap<Statement<never, unknown>, CompiledQuery>();

  constructor(dialect: Dialect) {
    this.#db = new Kysely({ dialect });
  }

  query(query: Query<unknown>): CompiledQuery {
    return query(this.#db).compile();
  }

  statement<P extends object>(statement: Statement<P, unknown>, values: P): CompiledQuery {
    let compiled = this.#statements.get(statement);
    if (compiled === undefined) {
      const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });
      compiled = statement.build(this.#db, placeholders as P).compile();
      this.#statements.set(statement, compiled);
    }
    const given = values as Readonly<Record<string, unknown>>;
    return {
      sql: compiled.sql,
      parameters: compiled.parameters.map((value) => (value instanceof Placeholder ? given[value.name] : value)),
    };
  }
}

/**
 * Writes numbers that are limits into the SQL. SQLite compiles a statement again for each run if a parameter is its limit, which
 * takes longer than most statements.
 */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || typeof limit.value !== "number") {
      super.visitLimit(node);
      return;
    }
    this.append("limit ");
    this.appendImmediateValue(limit.value);
  }
}

/** A dialect that only builds SQL: the database runs it without the query builder. */
export const sqliteDialect: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteCompiler(),
};

export const postgresDialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
