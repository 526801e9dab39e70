import { type Dirent, opendirSync } from "node:fs";
import { join } from "node:path";

export interface FolderLimits {
  /** The most files and folders, in all. */
  readonly maxEntries: number;
  /** Which folders are searched, by their names. Absent: all. */
  readonly enters?: (name: string) => boolean;
}

/** A folder contains more than its reader permits. */
export class TooManyFiles extends Error {
  override readonly name = "TooManyFiles";

  constructor(root: string, { maxEntries }: FolderLimits) {
    super(`${root} contains more than ${maxEntries} files`);
  }
}

/** What is in a folder and is not a folder. */
export interface FoundFile {
  /** Relative to the folder that is searched, with slashes. */
  readonly path: string;
  /** A file, a link or something else. */
  readonly entry: Dirent;
}

/**
 * What is in a folder and below it, in the order of the names. A link to a folder is not followed, because it can lead back to a
 * folder above.
 * @throws {TooManyFiles}
 */
export function* filesBelow(root: string, limits: FolderLimits): Generator<FoundFile> {
  let entries = 0;
  const search = function* (folder: string): Generator<FoundFile> {
    const listed: Dirent[] = [];
    const open = opendirSync(join(root, folder));
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        if ((entries += 1) > limits.maxEntries) throw new TooManyFiles(root, limits);
        listed.push(entry);
      }
    } finally {
      open.closeSync();
    }
    for (const entry of listed.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) yield { path, entry };
      else if (limits.enters?.(entry.name) !== false) yield* search(path);
    }
  };
  yield* search("");
}
