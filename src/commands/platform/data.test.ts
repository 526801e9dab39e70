import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "#src/command-line.testing.ts";

it("names a file that is not a SQLite database, and the fix", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-data-"));
  const data = join(folder, "platform.db");
  writeFileSync(data, "not a database".repeat(100));
  try {
    const { code, stderr } = await runCommand(["platform", "audit", "--data", data]);
    expect([code, stderr]).toEqual([
      1,
      `muster platform audit: --data: cannot open ${data}: file is not a database. If it is damaged, restore a backup with "muster platform restore"\n`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
