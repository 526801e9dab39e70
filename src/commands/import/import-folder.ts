import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ImportFiles } from "#src/import/import-files.ts";
import { originOf, signedText, type TextOrigin } from "./signed-text.ts";

/** What became of the files. Paths are relative, with `/` between their names. */
export interface WrittenFiles {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  /** Files of an earlier import for what no longer exists. */
  readonly removed: readonly string[];
  readonly kept: readonly KeptFile[];
}

/** A file that import may not touch. */
export interface KeptFile {
  readonly path: string;
  readonly reason: string;
}

export interface ImportFolderOptions {
  /** The uid of the group that is imported. */
  readonly group: string;
  /** Whether the files are all that exists; otherwise what an earlier import wrote may still exist, too. */
  readonly isComplete: boolean;
}

/** A larger file is not one that import wrote. */
const maxBytes = 64 * 1024 * 1024;
/** A folder with more entries, those of its folders included, is not searched. */
const maxEntries = 200_000;

type Found =
  | { readonly is: "absent" }
  | { readonly is: TextOrigin; readonly text: string }
  | { readonly is: "notAFile" };

const reasons = {
  edited: "somebody edited it",
  anotherGroup: "import wrote it for another group: use another folder",
  foreign: "import did not write it",
  notAFile: "it is a symbolic link or another special file, which import does not follow",
} as const;

/**
 * Writes the files of an import into a folder, which it creates if there is none.
 *
 * **Guarantees.** No symbolic link is followed below `folder`, nor is `folder` one. A file is replaced, or removed, only if an earlier import
 * of the same group wrote it and nobody edited it; each as a whole. What would be written unchanged is not touched.
 *
 * **Assumptions.** Nobody else replaces folders by links while this runs: a file is looked at again just before it is replaced, and no later.
 *
 * @throws {Error} before anything is written, if the folder or one below it is a link or a file; or if an earlier import declared what
 * cannot be seen now, so that the kustomizations would lose it
 */
export function writeImport(
  folder: string,
  files: ImportFiles,
  { group, isComplete }: ImportFolderOptions,
): WrittenFiles {
  const root = resolve(folder);
  const folders = new Set([...files.keys()].flatMap(foldersOf));
  requireFolder(root, "--dir: ");
  for (const path of folders) requireFolder(join(root, path), "");
  const stale = staleFiles(root, files, group);
  if (!isComplete) requireNone([...stale.unedited, ...stale.edited]);
  mkdirSync(root, { recursive: true });
  for (const path of folders) mkdirSync(join(root, path), { recursive: true });

  const written: string[] = [];
  const unchanged: string[] = [];
  const kept: KeptFile[] = stale.edited.map((path) => ({
    path,
    reason: "somebody edited it, and what it declares does not exist any more",
  }));
  for (const [path, text] of files) {
    const signed = signedText(text, group);
    const before = find(join(root, path), group);
    if ("text" in before && before.text === signed) unchanged.push(path);
    else if (before.is !== "absent" && before.is !== "unedited") kept.push({ path, reason: reasons[before.is] });
    else if (replace(join(root, path), signed, before, group)) written.push(path);
    else kept.push({ path, reason: "somebody changed it while import ran: run it again" });
  }
  for (const path of stale.unedited) remove(root, path);
  return { written, unchanged, removed: stale.unedited, kept };
}

function requireNone(stale: readonly string[]): void {
  const [first] = stale;
  if (first === undefined) return;
  throw new Error(
    `an earlier import declares ${stale.length} resources that do not exist any more, or that you may not list, such as ${first}: nothing was written. Use a token that may list groups, identities and role bindings, or another folder`,
  );
}

/** The paths of the folders above a file, outermost first. */
function foldersOf(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** @throws {Error} if there is something else than a folder */
function requireFolder(path: string, prefix: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  throw new Error(
    stats.isSymbolicLink()
      ? `${prefix}${path} is a symbolic link, which import does not follow: name the folder itself, or remove the link`
      : `${prefix}${path} is not a folder: remove it, or use another folder`,
  );
}

function find(path: string, group: string): Found {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { is: "absent" };
  if (!stats.isFile()) return { is: "notAFile" };
  if (stats.size > maxBytes) return { is: "foreign", text: "" };
  const text = readFileSync(path, "utf8");
  return { is: originOf(text, group), text };
}

/** @returns whether the file was still as `before` */
function replace(path: string, text: string, before: Found, group: string): boolean {
  const temporary = join(dirname(path), `.muster-import-${randomUUID()}.tmp`);
  let isInPlace = false;
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    const now = find(path, group);
    if (now.is !== before.is || ("text" in now && "text" in before && now.text !== before.text)) return false;
    renameSync(temporary, path);
    isInPlace = true;
    return true;
  } finally {
    if (!isInPlace) rmSync(temporary, { force: true });
  }
}

/** The files of earlier imports of the group that this one does not have. */
function staleFiles(root: string, files: ImportFiles, group: string) {
  const stale = searchImport(root, group).filter(({ path }) => !files.has(path));
  const pathsOf = (origin: TextOrigin) => stale.flatMap(({ is, path }) => (is === origin ? [path] : []));
  return { unedited: pathsOf("unedited"), edited: pathsOf("edited") };
}

/** The paths of the files that earlier imports of a group wrote into a folder, edited ones included. */
export function filesOfImport(folder: string, group: string): readonly string[] {
  const root = resolve(folder);
  requireFolder(root, "--dir: ");
  return searchImport(root, group).map(({ path }) => path);
}

function searchImport(root: string, group: string): readonly { readonly path: string; readonly is: TextOrigin }[] {
  const found: { path: string; is: TextOrigin }[] = [];
  let entries = 0;
  const search = (path: string) => {
    const listed = readdirSync(join(root, path), { withFileTypes: true });
    if ((entries += listed.length) > maxEntries)
      throw new Error(`--dir: ${root} contains more than ${maxEntries} files: give import a folder of its own`);
    for (const entry of listed.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const below = path === "" ? entry.name : `${path}/${entry.name}`;
      // Hidden folders are those of other programs, such as .git.
      if (entry.isDirectory() && !entry.name.startsWith(".")) search(below);
      if (!entry.isFile() || !entry.name.endsWith(".yaml")) continue;
      const { is } = find(join(root, below), group);
      if (is === "unedited" || is === "edited") found.push({ path: below, is });
    }
  };
  if (lstatSync(root, { throwIfNoEntry: false }) !== undefined) search("");
  return found;
}

/** Removes a file, and the folders above it that are empty then. */
function remove(root: string, path: string): void {
  rmSync(join(root, path));
  for (const folder of foldersOf(path).toReversed()) {
    if (readdirSync(join(root, folder)).length > 0) return;
    rmdirSync(join(root, folder));
  }
}
