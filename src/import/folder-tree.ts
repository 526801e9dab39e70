import { parentOf } from "#src/platform-client/uid.ts";
import type { Declarations } from "./declarations.ts";
import type { ExistingTree } from "./existing-tree.ts";
import type { ImportOptions } from "./import-options.ts";
import type { GroupFolder } from "./imported-tree.ts";
import { ObjectNames } from "./object-names.ts";

/** One folder a group, as the groups lie in each other. A folder in which nothing is declared is left out. */
export function folderTree(
  { group: root, groups }: ExistingTree,
  declarations: Declarations,
  { earlierNames }: Pick<ImportOptions, "earlierNames">,
): GroupFolder {
  // A folder has the name of the object that declares the group.
  const names = new ObjectNames(earlierNames.get("Group"));
  const folders = new Map<string, GroupFolder & { readonly folders: GroupFolder[] }>();
  const folderOf = ({ uid, name }: ExistingTree["group"]) => {
    const folder = { name: names.nameOf(name, "group", uid), objects: declarations.inGroup(uid), folders: [] };
    folders.set(uid, folder);
    return folder;
  };
  const top = folderOf(root);
  // A group comes after those above it.
  for (const group of groups.toSorted((one, other) => (one.uid < other.uid ? -1 : 1)))
    (folders.get(parentOf(group.uid) ?? "") ?? top).folders.push(folderOf(group));
  return withoutEmpty(top);
}

function withoutEmpty({ name, objects, folders }: GroupFolder): GroupFolder {
  const kept = folders.map(withoutEmpty).filter((folder) => folder.objects.length + folder.folders.length > 0);
  return { name, objects, folders: kept };
}
