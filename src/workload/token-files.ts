import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseTokenStatus, type TokenStatus } from "./token-status.ts";

/** The kubelet sets this bit on the folder of a volume if the pod has `fsGroup`: new files then belong to that group. */
const setGroupId = 0o2000;

/**
 * The token of an agent in a file, and its status in another one whose name has `.json` appended. Both are replaced as a
 * whole: a reader sees the old content or the new content, whenever the process or the machine stops.
 */
export class TokenFiles {
  readonly path: string;
  readonly #statusPath: string;

  constructor(path: string) {
    this.path = path;
    this.#statusPath = `${path}.json`;
  }

  /** Replaces the token, then the status. If the process ends in between, the status has an expiry that is too early. */
  write(token: string, status: TokenStatus): void {
    replaceFile(this.path, token);
    this.writeStatus(status);
  }

  writeStatus(status: TokenStatus): void {
    replaceFile(this.#statusPath, `${JSON.stringify(status)}\n`);
  }

  /** @returns undefined if there is none. @throws {Error} if the file cannot be read for another reason */
  readStatus(): TokenStatus | undefined {
    const text = readIfPresent(this.#statusPath);
    return text === undefined ? undefined : parseTokenStatus(text);
  }

  /** @returns undefined if there is none. @throws {Error} if the file cannot be read for another reason */
  readToken(): string | undefined {
    return readIfPresent(this.path)?.trim() || undefined;
  }
}

/** @throws {Error} that names the setting, if the file cannot be written */
function replaceFile(path: string, content: string): void {
  try {
    writeAndRename(path, content);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `--token-file: ${path} cannot be written: ${message}; name a file in a folder that exists and that this user may write`,
      { cause: error },
    );
  }
}

/**
 * Writes, flushes and renames. The mode is 0440 if the folder hands its group on, and otherwise 0444: in a pod without
 * `fsGroup`, other containers may run as any user, and only containers that mount the volume see the file.
 */
function writeAndRename(path: string, content: string): void {
  const folder = dirname(path);
  const mode = (statSync(folder).mode & setGroupId) === 0 ? 0o444 : 0o440;
  const temporary = join(folder, `.${basename(path)}.new`);
  // A process that was killed may have left it, with a mode that forbids writing.
  rmSync(temporary, { force: true });
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, content);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
