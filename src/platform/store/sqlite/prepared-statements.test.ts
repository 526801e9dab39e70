import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { PreparedStatements } from "./prepared-statements.ts";

/** A query like that of a List over many regions, whose text differs for each number. */
const query = (regions: number, number: number) =>
  `select 1 where ${Array(regions).fill("('b' > 'a' and 'b' < 'c')").join(" or ")} limit ${number}`;

describe("PreparedStatements", () => {
  it("prepares a query once while it is used", () => {
    const prepared = new PreparedStatements(new DatabaseSync(":memory:"));
    const first = prepared.query(query(1, 0));
    for (let number = 1; number < 2_000; number++) {
      prepared.query(query(1, number));
      expect(prepared.query(query(1, 0))).toBe(first);
    }
  });

  it("keeps at most 8 MiB of queries, whatever their length, and no query that is very long", () => {
    const prepared = new PreparedStatements(new DatabaseSync(":memory:"));
    for (let number = 0; number < 500; number++) prepared.query(query(100, number));
    expect(prepared.queryBytes).toBeGreaterThan(4 * 1024 * 1024);
    expect(prepared.queryBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    const before = prepared.queryBytes;
    prepared.query(`select '${"b".repeat(100_000)}'`);
    expect(prepared.queryBytes).toBe(before);
  });
});
