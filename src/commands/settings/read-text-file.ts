import { readFile } from "node:fs/promises";

/** The content of the file that is the value of `flag`. @throws {Error} that names the flag, if the file cannot be read. */
export async function readTextFile(flag: string, path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: Error) => {
    throw new Error(`${flag}: the file cannot be read: ${error.message}`, { cause: error });
  });
}
