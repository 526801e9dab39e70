import { describe, expect, it } from "vitest";
import { Compiler, sqliteDialect } from "./compiler.ts";
import { statement } from "./database.ts";

describe("Compiler", () => {
  const compiler = new Compiler(sqliteDialect);

  it("compiles a statement with the values of its parameters", () => {
    const byName = statement((db, p: { name: string }) =>
      db.selectFrom("facts").select("value").where("name", "=", p.name),
    );
    for (const name of ["a", "b"])
      expect(compiler.statement(byName, { name })).toEqual({
        sql: 'select "value" from "facts" where "name" = ?',
        parameters: [name],
      });
  });

  it("writes constant limits into the SQL of SQLite, which would compile the statement for each run otherwise", () => {
    const first = statement<object, unknown>((db) => db.selectFrom("facts").select("value").limit(2));
    expect(compiler.statement(first, {})).toEqual({ sql: 'select "value" from "facts" limit 2', parameters: [] });
    expect(compiler.query((db) => db.selectFrom("facts").select("value").limit(201).offset(7))).toMatchObject({
      sql: 'select "value" from "facts" limit 201 offset ?',
      parameters: [7],
    });
    const some = statement((db, p: { most: number }) => db.selectFrom("facts").select("value").limit(p.most));
    expect(compiler.statement(some, { most: 3 })).toEqual({
      sql: 'select "value" from "facts" limit ?',
      parameters: [3],
    });
  });
});
