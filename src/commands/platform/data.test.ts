import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { DatabaseSync } from "node:sqlite";
import { SqliteDatabase } from "#src/platform/store/sqlite/sqlite-database.ts";
import { runCommand } from "#src/command-line.testing.ts";

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
