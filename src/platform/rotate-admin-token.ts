import { writeAdminTokenFile } from "./authorization/admin-token-file.ts";
import { deleteOtherUnnamedTokens, insertAdminToken, newAdminToken } from "./authorization/admin-token.ts";
import { record } from "./audit/audit-log.ts";
import { AuthoredWriter } from "./audit/authored-writer.ts";
import type { Database } from "./store/database.ts";

/**
 * Replaces the admin token without a name with a new one, which it writes to the file. Running platforms use it from the next call on.
 * Wherever it is interrupted, the token in the file is valid.
 */
export async function rotateAdminToken(database: Database, file: string, now: number): Promise<void> {
  const token = newAdminToken();
  await database.write((tx) => insertAdminToken(tx, token, now));
  writeAdminTokenFile(file, token);
  await database.write(async (tx) => {
    await deleteOtherUnnamedTokens(tx, token);
    const author = { kind: "host", command: "platform admin-token" } as const;
    await record(new AuthoredWriter(tx, author, now), { action: "rotate", type: "admin token", uid: "", fields: {} });
  });
}
