import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";
import { startPlatform } from "#src/platform/platform.ts";
import { describeWithPostgres } from "#src/platform/tests/describe-with-postgres.testing.ts";
import { Client, optionsIn } from "#src/platform/tests/running-platform.testing.ts";
import type { Database } from "../database.ts";
import { SqliteDatabase } from "../sqlite/sqlite-database.ts";
import { PostgresDatabase } from "./postgres-database.ts";

describeWithPostgres("muster platform migrate", (postgres) => {
  let folder = "";
  let data = "";
  /** What the API returns of the platform on SQLite. */
  let before: unknown;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "muster-migrate-"));
    data = join(folder, "data");
    before = await withPlatform(new SqliteDatabase(data), async (admin, root) => {
      const body = { name: "payments", description: "zażółć 🙂" };
      const { uid: group } = await admin.ok("POST", `/iam/v2beta1/groups/${root}`, body);
      const identity = await admin.identity(group, "builds");
      await admin.bind(group, identity, await admin.role("editor"));
      for (let index = 0; index < 5; index++) await admin.group(group, `group ${index}`);
      await admin.delete(`/iam/v2beta1/groups/${await admin.group(root, "gone")}`);
      return contentOf(admin);
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function withPlatform<T>(database: Database, use: (admin: Client, root: string) => Promise<T>): Promise<T> {
    const options = optionsIn(folder, database);
    const platform = await startPlatform(options);
    try {
      return await use(
        new Client(platform.url, readFileSync(options.adminTokenFile, "utf8").trim()),
        platform.rootGroup,
      );
    } finally {
      await platform.close();
    }
  }

  /** Everything that is listed, and the keys of tokens. */
  async function contentOf(admin: Client): Promise<unknown> {
    const collections = ["groups", "identities", "roles", "roleBindings"];
    const lists = collections.map((name) => admin.ok("GET", `/iam/v2beta1/${name}?page_size=200`));
    const { text } = await admin.get("/.well-known/openid-configuration");
    const jwks = await admin.get(new URL(JSON.parse(text).jwks_uri).pathname);
    return { lists: await Promise.all(lists), keys: jwks.body["keys"] };
  }

  const migrate = (database: string, from = data) =>
    runCommand(["platform", "migrate", "--stopped", "--data", from, "-o", "json"], {
      env: { MUSTER_DATABASE: database },
    });

  it("copies everything, with uids, keys and the audit log, and leaves the file as it is", async () => {
    const url = await postgres().newDatabase();
    const original = readFileSync(data);
    const { code, stdout, stderr } = await migrate(url);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ rows: { groups: 7, identities: 1, signing_keys: 1, admin_tokens: 1 } });
    expect(readFileSync(data).equals(original)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes("migration"))).toEqual([]);

    const [last] = await postgres().run(url, "select max(sequence) as last, count(*) as count from audit_log");
    const database = await PostgresDatabase.open(url, { connections: 2 });
    const after = await withPlatform(database, async (admin, root) => {
      const content = await contentOf(admin);
      await admin.group(root, "new");
      return content;
    });
    expect(after).toEqual(before);
    const [next] = await postgres().run(
      url,
      `select min(sequence) as next from audit_log where sequence > ${String(last?.["last"])}`,
    );
    expect(Number(last?.["count"])).toBeGreaterThan(8);
    expect(Number(next?.["next"])).toBe(Number(last?.["last"]) + 1);
  });

  it("refuses a database with rows, and changes nothing", async () => {
    const url = await postgres().newDatabase();
    await migrate(url);
    const again = await migrate(url);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(/the database is not empty: its table \w+ has rows/);
    await postgres().run(url, "create table other (id integer)");
    expect((await migrate(url)).stderr).toContain("the tables of a platform and no others");
  });

  it("copies all rows or none", async () => {
    const url = await postgres().newDatabase();
    const copy = join(folder, "with-a-zero");
    cpSync(data, copy);
    const raw = new DatabaseSync(copy);
    // PostgreSQL cannot store it.
    raw.prepare("update signing_keys set public_key = ?").run("\u0000");
    raw.close();
    const { code, stderr } = await migrate(url, copy);
    expect(code).toBe(1);
    expect(stderr).toContain("a row of the table signing_keys cannot be copied");
    const [groups] = await postgres().run(url, "select count(*) as count from groups");
    expect(Number(groups?.["count"])).toBe(0);
    expect((await migrate(url)).code).toBe(0);
  });
});
