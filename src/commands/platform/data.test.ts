import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DatabaseSync } from "node:sqlite";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import { runCommand } from "#src/command-line.testing.ts";
import { isUnencryptedByDefault } from "./data.ts";

it("names a file that is not a SQLite database, and the fix", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-data-"));
  const data = join(folder, "platform.db");
  writeFileSync(data, "not a database".repeat(100));
  try {
    const { code, stderr } = await runCommand(["platform", "audit", "--data", data]);
    expect([code, stderr]).toEqual([
      1,
      `muster platform audit: --data: cannot open ${data}: file is not a database. If it is damaged, restore a backup with "muster platform restore"\nMore: docs/reference/errors.md#platform-data\n`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("does not take a file that another process writes to for a damaged one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-data-"));
  const data = join(folder, "platform.db");
  await new SqliteDatabase(data).close();
  const other = new DatabaseSync(data);
  try {
    other.exec("begin immediate");
    const { code, stderr } = await runCommand(["platform", "admin-token", "--list", "--data", data]);
    expect([code, stderr]).toEqual([
      1,
      `muster platform admin-token: --data: another process writes to ${data} for a long time; wait for it, or end it\nMore: docs/reference/errors.md#platform-data\n`,
    ]);
  } finally {
    other.close();
    rmSync(folder, { recursive: true });
  }
});

it.each([
  ["postgres://muster:secret@db.example.com/muster", true],
  ["postgres://db.example.com/muster?application_name=muster", true],
  ["postgres://db.example.com/muster?sslmode=verify-full", false],
  ["postgres://db.example.com/muster?sslmode=disable", false],
  ["postgres://127.example.com/muster", true],
  ["postgres://localhost/muster", false],
  ["postgres://127.0.0.1:5432/muster", false],
  ["postgres://[::1]/muster", false],
  ["postgres:///muster?host=/run/postgresql", false],
])("%s is unencrypted without a decision: %s", (url, expected) => {
  expect(isUnencryptedByDefault({ kind: "database", url })).toBe(expected);
});
