import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { expect, it } from "vitest";
import { notDownscoped } from "../authorization/caller.ts";
import { SqliteDatabase } from "../store/sqlite/sqlite-database.ts";
import { ApiTokens } from "./api-token.ts";
import { readOrCreateKeyFile } from "./master-key.ts";
import { SigningKeys } from "./signing-keys.ts";

it("keeps a bounded number of bytes of verified tokens, however long they are", async () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-tokens-"));
  const database = new SqliteDatabase(join(folder, "data"));
  const url = "https://platform.example.com";
  const keys = await SigningKeys.load({
    database,
    masterKey: readOrCreateKeyFile(join(folder, "key")),
    clock: Date.now,
    log: pino({ level: "silent" }),
    interval: 3_600_000,
  });
  const tokens = new ApiTokens(keys, url, url, Date.now);
  for (let number = 0; number < 700; number++) {
    const { token } = await tokens.issue({
      identityUid: String(number),
      stamp: { value: "", key: undefined },
      audiences: [url],
      downscoping: notDownscoped,
      actor: { iss: url, sub: "s".repeat(10_000), aud: url },
    });
    expect(await tokens.verify(token)).toBe(await tokens.verify(token));
  }
  expect(tokens.cachedBytes).toBeGreaterThan(8 * 1024 * 1024);
  expect(tokens.cachedBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  await database.close();
  rmSync(folder, { recursive: true });
});
