import { readFile, stat } from "node:fs/promises";

/** A text file whose content is parsed again when the file changes. A file that cannot be read counts as empty. */
export class ParsedFile<T> {
  readonly #path: string;
  readonly #parse: (text: string) => T;
  /** The inode, the size and the time of the last change. */
  #version: string | undefined;
  #value: T;

  constructor(path: string, parse: (text: string) => T) {
    this.#path = path;
    this.#parse = parse;
    this.#value = parse("");
  }

  async read(): Promise<T> {
    const version = await versionOf(this.#path);
    if (version === this.#version) return this.#value;
    this.#value = this.#parse(version === undefined ? "" : await readFile(this.#path, "utf8").catch(() => ""));
    this.#version = version;
    return this.#value;
  }
}

/** Undefined if the file does not exist. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return undefined;
  }
}
