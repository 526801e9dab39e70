import { readText } from "#src/files/read-text.ts";
import { requireFolderOf } from "./require-folder.ts";

/**
 * The content of the file that is the value of `flag`, of at most 4 MiB.
 * @throws {Error} that names the flag and says what to do, if the file cannot be read.
 */
export async function readTextFile(flag: string, path: string): Promise<string> {
  try {
    return await readText(path);
  } catch (error) {
    throw readError(flag, path, error);
  }
}

/** Names the flag, and says what to do, after the file that is its value could not be read. */
export function readError(flag: string, path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  try {
    if (code === "ENOENT") requireFolderOf(flag, path);
  } catch (missingFolder) {
    return missingFolder as Error;
  }
  const reason = reasonOf(code, path) ?? `${path} cannot be read: ${message}`;
  return new Error(`${flag}: ${reason}`, { cause: error });
}

function reasonOf(code: string | undefined, path: string): string | undefined {
  if (code === "ENOENT") return `the file ${path} does not exist`;
  if (code === "EACCES") return `this user is not allowed to read ${path}`;
  if (code === "EISDIR") return `${path} is a folder, not a file`;
  return undefined;
}
