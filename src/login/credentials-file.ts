import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { type Credentials, formatCredentials, maxTokenLength, noCredentials, parseCredentials } from "./credentials.ts";
import { createPrivateFolder, requirePrivate, requirePrivateFolder } from "./private-folder.ts";
import { type ProcessLockOptions, withProcessLock } from "./process-lock.ts";

/** A larger file is not one that this program wrote. */
const maxBytes = 4 * 1024 * 1024;

/** What one change can add to the file: two tokens, and what is around them. */
const growth = 2 * maxTokenLength + 16_384;

/** The right to change the file, while no other process has it. */
export interface CredentialsChange {
  readonly credentials: Credentials;
  /** Replaces the content of the file. Called at most once. The room for it on the disk is already there. */
  readonly save: (credentials: Credentials) => void;
}

/**
 * The credentials in `credentials.json`, which only its owner can access. It is replaced as a whole: a reader sees the old
 * content or the new one, whenever the process or the machine stops.
 */
export class CredentialsFile {
  readonly path: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, "credentials.json");
  }

  /**
   * The credentials; none if there is no file.
   * @throws {Error} that says what is wrong with the file or its folder, and how to change it
   */
  read(): Credentials {
    if (!requirePrivateFolder(this.#folder)) return noCredentials;
    const text = this.#readText();
    if (text === undefined) return noCredentials;
    const credentials = parseCredentials(text);
    if (credentials === undefined)
      throw new Error(
        `${this.path} does not contain the credentials of this version of muster; remove the file and log in again: rm ${this.path}`,
      );
    return credentials;
  }

  /**
   * Runs `work` while no other process changes the file. The room on the disk is reserved before: `work` may use a refresh
   * token, which is lost if the next one cannot be written.
   * @throws {Error} as `read`, and if the file cannot be written
   */
  async change<T>(options: ProcessLockOptions, work: (change: CredentialsChange) => Promise<T>): Promise<T> {
    createPrivateFolder(this.#folder);
    requirePrivateFolder(this.#folder);
    return withProcessLock(join(this.#folder, "credentials.lock"), options, async () => {
      const credentials = this.read();
      const replacement = Replacement.reserve(this.path, formatCredentials(credentials).length + growth);
      try {
        return await work({ credentials, save: (next) => replacement.commit(formatCredentials(next)) });
      } finally {
        replacement.discard();
      }
    });
  }

  #readText(): string | undefined {
    let file: number;
    try {
      // Without NONBLOCK, opening a named pipe would wait for its writer.
      file = openSync(this.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      if (code === "ELOOP")
        throw new Error(
          `${this.path} is a symbolic link, which a renewal would replace; put the file itself there, or link the folder`,
          { cause: error },
        );
      throw new Error(`the credentials cannot be read: ${message}`, { cause: error });
    }
    try {
      const stats = fstatSync(file);
      if (!stats.isFile()) throw new Error(`${this.path} is not a file; remove it`);
      requirePrivate(this.path, stats, "chmod 600");
      if (stats.size > maxBytes) return "";
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  }
}

/** A file that takes the place of another one once its content is complete. */
class Replacement {
  readonly #path: string;
  readonly #temporary: string;
  /** Undefined after the end. */
  #file: number | undefined;

  /** @throws {Error} if the file cannot be created, or the disk has no room for it */
  static reserve(path: string, bytes: number): Replacement {
    const temporary = `${path}.new`;
    try {
      // A process that was killed may have left it.
      rmSync(temporary, { force: true });
      const replacement = new Replacement(path, temporary, openSync(temporary, "wx", 0o600));
      replacement.#fill(bytes);
      return replacement;
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  private constructor(path: string, temporary: string, file: number) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  #fill(bytes: number): void {
    const file = this.#open();
    try {
      // The umask may have taken what the owner needs.
      fchmodSync(file, 0o600);
      writeAll(file, Buffer.alloc(bytes, " "));
      fsyncSync(file);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /** @throws {Error} if the content cannot be written; the old file then stays */
  commit(content: string): void {
    const file = this.#open();
    try {
      const bytes = Buffer.from(content);
      writeAll(file, bytes);
      ftruncateSync(file, bytes.length);
      fsyncSync(file);
      this.#file = undefined;
      closeSync(file);
      renameSync(this.#temporary, this.#path);
    } catch (error) {
      rmSync(this.#temporary, { force: true });
      throw cannotWrite(this.#path, error);
    }
    flushFolder(join(this.#path, ".."));
  }

  /** Removes what was not committed. */
  discard(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#temporary, { force: true });
  }

  #open(): number {
    if (this.#file === undefined) throw new Error("the file was already replaced");
    return this.#file;
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(file, bytes, written, bytes.length - written, written);
}

/** After a power failure the name must not lead to the old file, whose refresh token has been used. */
function flushFolder(path: string): void {
  try {
    const folder = openSync(path, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows cannot flush a folder. The file is complete either way.
  }
}

function cannotWrite(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason =
    code === "ENOSPC" || code === "EDQUOT"
      ? "the disk is full; free some room, or set XDG_CONFIG_HOME to a folder elsewhere"
      : message;
  return new Error(`the credentials cannot be written to ${path}: ${reason}`, { cause: error });
}
