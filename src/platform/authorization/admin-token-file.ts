import { randomBytes } from "node:crypto";
import { chmodSync, renameSync, writeFileSync } from "node:fs";

/** Replaces the file atomically. The new file is readable only by its owner from the moment it exists. */
export function writeAdminTokenFile(path: string, token: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, `${token}\n`, { flag: "wx", mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
