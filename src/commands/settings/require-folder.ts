import { statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Checks the folder of a file that is going to be written.
 * @param flag the setting whose value is the path
 * @throws {Error} that names the flag and the folder, and says what to do, if there is no such folder
 */
export function requireFolderOf(flag: string, path: string): void {
  const folder = dirname(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new Error(`${flag}: the folder ${folder} does not exist; create it first`);
  if (!found.isDirectory()) throw new Error(`${flag}: ${folder} is not a folder; name a file in an existing folder`);
}
