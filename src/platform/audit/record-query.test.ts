import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Coverage } from "../authorization/access.ts";
import type { Database, Reader } from "../store/database.ts";
import { postgresExplaining, sqliteExplaining } from "../store/explaining-reader.testing.ts";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import { describeOnEachBackend } from "../tests/describe-on-each-backend.testing.ts";
import { describeIfPostgres } from "../tests/describe-with-postgres.testing.ts";
import { newPostgresDatabase } from "../tests/new-database.testing.ts";
import { queryRecords, type RecordFilter } from "./record-query.ts";

const [tenant, other] = ["a".repeat(40), "b".repeat(40)];
const [group, identity] = [`${tenant}/${"1".repeat(16)}`, `${tenant}/${"2".repeat(16)}`];

/** More records than a query examines: of a tenant, in one of its groups and by one of its identities. */
const fill = (series: string) => `
  insert into audit_log (time, actor, author, action, type, uid, fields, root, method, code, form, change_count, first_time, details)
  select n * 1000, case n % 3 when 0 then '${identity}' when 1 then '${tenant}/y' else '${other}' end, '{}', 'use', '',
    case n % 3 when 0 then '${group}' when 1 then '${tenant}/x' else '${other}' end, '{}',
    case n % 3 when 2 then '${other}' else '${tenant}' end, 'x.Y/Z', 0, 'event', 0, n * 1000, ''
  from ${series}`;

const queries: readonly [name: string, index: string, Coverage, RecordFilter][] = [
  ["everything", "INTEGER PRIMARY KEY", "everywhere", {}],
  ["everything since a time", "INTEGER PRIMARY KEY", "everywhere", { since: 20_000_000 }],
  ["a code that is rare", "INTEGER PRIMARY KEY", "everywhere", { code: 7 }],
  ["a method that is rare", "INTEGER PRIMARY KEY", "everywhere", { method: "A/B" }],
  ["a root group", "audit_log_by_root", [tenant], {}],
  ["a group", "audit_log_by_uid", [group], {}],
  ["two groups", "audit_log_by_uid", [group, other], {}],
  ["an actor", "audit_log_by_actor", "everywhere", { actor: identity }],
  ["an actor that did nothing", "audit_log_by_actor", "everywhere", { actor: "admin" }],
  ["an actor in a root group, since a time", "audit_log_by_actor", [tenant], { actor: identity, since: 20_000_000 }],
  ["an actor of another root group", "audit_log_by_root", [tenant], { actor: other }],
  ["an actor of another root group, in a group", "audit_log_by_uid", [group], { actor: other }],
];

/** Runs the page of each query, and collects the plans of its statements. */
async function plansOf(reader: Reader, [, , coverage, filter]: (typeof queries)[number]): Promise<void> {
  for (const direction of ["asc", "desc"] as const)
    for (const cursor of [undefined, 12_000])
      await queryRecords(reader, { coverage, filter, direction, cursor, skip: 0, limit: 51 });
}

it("searches the index that finds the fewest records, and scans nothing without one, on SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-records-"));
  await new SqliteDatabase(join(folder, "data")).close();
  const direct = new DatabaseSync(join(folder, "data"));
  direct.exec(`with recursive s(n) as (select 1 union all select n + 1 from s where n < 24000) ${fill("s")}`);
  for (const query of queries) {
    const plans: string[] = [];
    await plansOf(
      sqliteExplaining(direct, (step) => plans.push(step)),
      query,
    );
    const [name, index] = query;
    // The whole log is scanned along its primary key, up to a limit.
    const onLog = plans.filter((step) => /^(?:SEARCH|SCAN) audit_log/.test(step));
    const others = onLog.filter(
      (step) => step !== "SCAN audit_log" && !step.includes("INTEGER PRIMARY KEY") && !step.includes(index),
    );
    expect(others, name).toEqual([]);
    if (index.startsWith("audit_log_by"))
      expect(
        onLog.some((step) => step.includes(index)),
        name,
      ).toBe(true);
  }
  direct.close();
  rmSync(folder, { recursive: true });
});

describeOnEachBackend("pages of records", (open) => {
  // More than a query examines of each: in the group, elsewhere in its root group, and of another root group.
  const count = 10_100;
  const nobody = `${other}/${"9".repeat(16)}`;
  let database: Database;
  let remove: () => Promise<void>;
  beforeAll(async () => {
    ({ database, remove } = await open());
    const row = { author: "{}", action: "use", type: "", fields: "{}", method: "x.Y/Z", code: 0, details: "" };
    const add = (uid: string, root: string, actor: string) => (time: number) =>
      ({ ...row, time, first_time: time, form: "event", change_count: 0, uid, root, actor }) as const;
    for (const of of [add(other, other, other), add(group, tenant, identity), add(`${tenant}/x`, tenant, identity)])
      for (let time = 0; time < count; time += 100)
        await database.write((tx) =>
          tx.query((db) => db.insertInto("audit_log").values(Array.from({ length: 100 }, (_, n) => of(time + n)))),
        );
  });
  afterAll(() => remove());

  const page = (coverage: Coverage, filter: RecordFilter, cursor?: number) =>
    database.read((tx) => queryRecords(tx, { coverage, filter, direction: "asc", cursor, skip: 0, limit: 51 }));

  it.each([[[tenant]], [[group]], [[group, `${tenant}/x`]]])(
    "of an actor of another root group are the same as those of nobody, in %s",
    async (coverage) => {
      expect(await page(coverage, { actor: other })).toEqual(await page(coverage, { actor: nobody }));
    },
  );

  it.each<[RecordFilter, number]>([
    [{ since: 10, until: 12 }, 2],
    [{ method: "Y/Z" }, 51],
    [{ method: "x.Y/Z" }, 51],
    [{ method: "Z" }, 0],
  ])("in a group with the filter %j are as many as it selects: %i", async (filter, selected) => {
    expect((await page([group], filter)).sequences).toHaveLength(selected);
  });

  it("in a group begin with its records, whatever others have before them", async () => {
    const { sequences } = await page([group], {});
    expect(sequences).toEqual(Array.from({ length: 51 }, (_, n) => count + 1 + n));
    expect((await page([group], { actor: identity })).sequences).toEqual(sequences);
  });
});

describeIfPostgres("on PostgreSQL", () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client({ connectionString: await newPostgresDatabase() });
    await client.connect();
    await client.query(fill("generate_series(1, 24000) as s(n)"));
    await client.query("analyze");
    // In a log of this size, PostgreSQL prefers to scan the table for a third of it.
    await client.query("set enable_seqscan = off");
  });
  afterAll(() => client.end());

  // For the actor of a third of the log, PostgreSQL reads along the log.
  it.each(queries.filter(([name]) => name !== "an actor"))(
    "reads a bounded number of rows for %s",
    async (...query) => {
      let most = 0;
      const reader = postgresExplaining(client, (rows) => (most = Math.max(most, rows)));
      await plansOf(reader, query);
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(10_001);
    },
  );
});
