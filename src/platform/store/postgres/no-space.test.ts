import { expect, it } from "vitest";
import { Client } from "pg";
import { describeWithPostgres } from "../../tests/describe-with-postgres.testing.ts";
import { DatabaseUnavailableError, statement } from "../database.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const insert = statement((db, p: { name: string; value: string }) =>
  db.insertInto("facts").values({ name: p.name, value: p.value }),
);

describeWithPostgres("a PostgreSQL server without space", (postgres) => {
  it.each(["53100", "53200"])(
    "makes a write unavailable (%s), keeps the others of its commit, and continues",
    async (code) => {
      const url = await postgres().newDatabase();
      const database = await PostgresDatabase.open(url, { connections: 2 });
      const admin = new Client({ connectionString: url });
      await admin.connect();
      try {
        await admin.query(
          `create function no_space() returns trigger language plpgsql as $$ begin
           if new.name like 'large%' then raise exception 'no space left on device' using errcode = '${code}'; end if;
           return new; end $$`,
        );
        await admin.query("create trigger no_space before insert on facts for each row execute function no_space()");
        const write = (name: string) => database.write((tx) => tx.run(insert, { name, value: "" }));
        const [small, large] = await Promise.allSettled([write("small"), write("large")]);
        expect(small.status).toBe("fulfilled");
        expect(large).toMatchObject({ status: "rejected", reason: { outcome: "notCommitted" } });
        expect((large as PromiseRejectedResult).reason).toBeInstanceOf(DatabaseUnavailableError);
        await admin.query("drop trigger no_space on facts");
        await write("large");
      } finally {
        await admin.end();
        await database.close();
      }
    },
  );
});
