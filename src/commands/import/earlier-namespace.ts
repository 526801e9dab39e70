import { join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { SettingsError } from "#src/commands/settings/settings.ts";
import { readTextSync } from "#src/files/read-text.ts";
import { namespaceFile } from "#src/import/import-files.ts";
import { originOf } from "./signed-text.ts";

/**
 * The namespace of an earlier import of the group into the folder; undefined if there was none.
 * @param paths of the files of that import
 * @throws {SettingsError} if `wanted` is another: this import would leave out what the objects of the earlier one declare, and
 * remove their files
 */
export function earlierNamespace(
  folder: string,
  group: string,
  paths: readonly string[],
  wanted: string | undefined,
): string | undefined {
  const name = namespaceIn(folder, group, paths);
  if (name === undefined || wanted === undefined || wanted === name) return name;
  throw new SettingsError([
    `--namespace (-n): ${folder} has an import into the namespace ${name}, whose objects would lose their files: leave it out, or use another folder`,
  ]);
}

/**
 * That of the Namespace; or else, because people remove that file where something else makes the namespace, that of an object. Of the
 * files of objects, those count first that nobody edited.
 */
function namespaceIn(folder: string, group: string, paths: readonly string[]): string | undefined {
  let edited: string | undefined;
  for (const path of [...paths.filter((one) => one === namespaceFile), ...paths]) {
    const text = readTextSync(join(resolve(folder), path));
    const field = path === namespaceFile ? "name" : "namespace";
    const name: unknown = parseDocument(text).getIn(["metadata", field]);
    if (typeof name !== "string") continue;
    if (path === namespaceFile || originOf(text, group) === "unedited") return name;
    edited ??= name;
  }
  return edited;
}
