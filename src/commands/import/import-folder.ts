import { randomUUID } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { visibleText } from "#src/commands/output/visible-text.ts";
import { filesBelow, TooManyFiles } from "#src/files/files-below.ts";
import { readTextSync } from "#src/files/read-text.ts";
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
  | { readonly [Is in TextOrigin]: { readonly is: Is; readonly text: string } }[TextOrigin]
  | { readonly is: "notAFile" };

/** A file that an earlier import of the group wrote. */
interface EarlierFile {
  readonly path: string;
  readonly found: Extract<Found, { is: "unedited" | "edited" }>;
}

const reasons = {
  edited: "somebody edited it",
  anotherGroup: "import wrote it for another group: use another folder",
  foreign: "import did not write it",
  notAFile: "it is a symbolic link or another special file, which import does not follow",
  editedAndGone: "somebody edited it, and what it declares does not exist any more",
  changing: "somebody changed it while import ran: run it again",
} as const;

/**
 * Writes the files of an import into a folder, which it creates, as a whole, if there is none.
 *
 * **Guarantees.** No symbolic link is followed below `folder`, nor is `folder` one. A file is replaced, or removed, only if an earlier import
 * of the same group wrote it and nobody edited it; each as a whole. What would be written unchanged is not touched.
 *
 * **Assumptions.** Nobody else replaces folders by links while this runs: a file is looked at again just before it is replaced or removed,
 * and no later.
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
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return writeNewFolder(root, folders, files, group);
  for (const path of folders) requireFolder(join(root, path), "");
  const stale = staleFiles(root, files, group);
  if (!isComplete) requireNone(stale);
  for (const path of folders) mkdirSync(join(root, path), { recursive: true });

  const written: string[] = [];
  const unchanged: string[] = [];
  const kept: KeptFile[] = [];
  for (const [path, text] of files) {
    const signed = signedText(text, group);
    const before = find(join(root, path), group);
    if ("text" in before && before.text === signed) unchanged.push(path);
    else if (before.is !== "absent" && before.is !== "unedited") kept.push({ path, reason: reasons[before.is] });
    else if (replace(join(root, path), signed, before, group)) written.push(path);
    else kept.push({ path, reason: reasons.changing });
  }
  const removed: string[] = [];
  for (const file of stale) {
    const { path, found } = file;
    if (found.is === "edited") kept.push({ path, reason: reasons.editedAndGone });
    else if (remove(root, file, group)) removed.push(path);
    else kept.push({ path, reason: reasons.changing });
  }
  return { written, unchanged, removed, kept };
}

/** Writes into a folder beside it, and renames that: to rename each of thousands of files takes several times as long as to write it. */
function writeNewFolder(root: string, folders: Iterable<string>, files: ImportFiles, group: string): WrittenFiles {
  const temporary = temporaryIn(dirname(root));
  mkdirSync(temporary, { recursive: true });
  try {
    for (const path of folders) mkdirSync(join(temporary, path));
    for (const [path, text] of files) writeFileSync(join(temporary, path), signedText(text, group), { flag: "wx" });
    renameSync(temporary, root);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return { written: [...files.keys()], unchanged: [], removed: [], kept: [] };
}

function temporaryIn(folder: string): string {
  return join(folder, `.muster-import-${randomUUID()}.tmp`);
}

function requireNone(stale: readonly EarlierFile[]): void {
  const [first] = stale;
  if (first === undefined) return;
  throw new Error(
    `an earlier import declares ${stale.length} resources that do not exist any more, or that you may not list, such as ${visibleText(first.path)}: nothing was written. Use a token that may list everything in the group, as the role viewer may, or another folder`,
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
  const text = readTextSync(path, { maxBytes });
  return { is: originOf(text, group), text };
}

/** @returns whether the file was still as `before` */
function replace(path: string, text: string, before: Found, group: string): boolean {
  const temporary = temporaryIn(dirname(path));
  let isInPlace = false;
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    if (!isEqual(find(path, group), before)) return false;
    renameSync(temporary, path);
    isInPlace = true;
    return true;
  } finally {
    if (!isInPlace) rmSync(temporary, { force: true });
  }
}

function isEqual(one: Found, other: Found): boolean {
  if (one.is !== other.is) return false;
  return !("text" in one) || !("text" in other) || one.text === other.text;
}

/** The files of earlier imports of the group that this one does not have. */
function staleFiles(root: string, files: ImportFiles, group: string): readonly EarlierFile[] {
  return manifestsIn(root)
    .filter((path) => !files.has(path))
    .map((path) => ({ path, found: find(join(root, path), group) }))
    .filter(isEarlier)
    .toArray();
}

/** The paths of the files that earlier imports of a group wrote into a folder, edited ones included. */
export function filesOfImport(folder: string, group: string): readonly string[] {
  const root = resolve(folder);
  requireFolder(root, "--dir: ");
  return manifestsIn(root)
    .filter((path) => isEarlier({ found: find(join(root, path), group) }))
    .toArray();
}

function isEarlier<T extends { readonly found: Found }>(file: T): file is T & Pick<EarlierFile, "found"> {
  return file.found.is === "unedited" || file.found.is === "edited";
}

/** The paths of all manifests in a folder and below it. */
function* manifestsIn(root: string): Generator<string> {
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) return;
  // Hidden folders are those of other programs, such as .git.
  const enters = (name: string) => !name.startsWith(".");
  try {
    for (const { entry, path } of filesBelow(root, { maxEntries, enters }))
      if (entry.isFile() && path.endsWith(".yaml")) yield path;
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    throw new Error(`--dir: ${error.message}: give import a folder of its own`, { cause: error });
  }
}

/**
 * Removes a file that is still as `before`, and the folders above it that are empty then.
 * @returns whether the file is gone
 */
function remove(root: string, { path, found: before }: EarlierFile, group: string): boolean {
  const now = find(join(root, path), group);
  if (now.is !== "absent" && !isEqual(now, before)) return false;
  rmSync(join(root, path), { force: true });
  for (const folder of foldersOf(path).toReversed()) {
    if (readdirSync(join(root, folder)).length > 0) break;
    rmdirSync(join(root, folder));
  }
  return true;
}
