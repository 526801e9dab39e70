import { join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { readTextSync } from "#src/files/read-text.ts";
import { namespaceFile } from "#src/import/import-files.ts";
import { filesOfImport } from "./import-folder.ts";

/**
 * The namespace of an earlier import of the group into the folder; undefined if there was none, or if somebody made its file
 * something else.
 * @throws {SettingsError} if `wanted` is another: this import would leave out what the objects of the earlier one declare, and
 * remove their files
 */
export function earlierNamespace(folder: string, group: string, wanted: string | undefined): string | undefined {
  if (!filesOfImport(folder, group).includes(namespaceFile)) return undefined;
  const name: unknown = parseDocument(readTextSync(join(resolve(folder), namespaceFile))).getIn(["metadata", "name"]);
  if (typeof name !== "string") return undefined;
  if (wanted === undefined || wanted === name) return name;
  throw new SettingsError([
    `--namespace (-n): ${folder} has an import into the namespace ${name}, whose objects would lose their files: leave it out, or use another folder`,
  ]);
}
