import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { type Stats, mkdirSync, statSync } from "node:fs";

/** Nobody but the owner may access what holds a token. */
const otherBits = 0o077;

/**
 * `${XDG_CONFIG_HOME:-~/.config}/muster`. As the XDG specification says, a relative path in the variable is ignored.
 * @throws {Error} if there is no home folder
 */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const configured = env["XDG_CONFIG_HOME"];
  if (configured !== undefined && isAbsolute(configured)) return join(configured, "muster");
  const home = env["HOME"] || homeOfUser();
  if (home === undefined || !isAbsolute(home))
    throw new Error("there is no home folder for the credentials: set HOME or XDG_CONFIG_HOME");
  return join(home, ".config", "muster");
}

/** Undefined for a user that the system does not know, as in some containers. */
function homeOfUser(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Creates the folder, and those above it, for this user alone. An existing one is left as it is. */
export function createPrivateFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(
      `the folder ${path} for the credentials cannot be created${code === "EEXIST" || code === "ENOTDIR" ? ": there is a file of that name, or of a folder above it; remove it" : `: ${message}`}`,
      { cause: error },
    );
  }
}

/**
 * Whether the folder exists.
 * @throws {Error} if it is not this user's own, or others can access it. The message says how to change that.
 */
export function requirePrivateFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (!stats.isDirectory()) throw new Error(`${path} is not a folder, and the credentials belong there; remove it`);
  requirePrivate(path, stats, "chmod 700");
  return true;
}

/**
 * @param fix the command that takes the access from others
 * @throws {Error} if others can access the file or folder, or it belongs to another user
 */
export function requirePrivate(path: string, { mode, uid }: Stats, fix: string): void {
  // Windows has other permissions: those of a user's own folders exclude other users.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user)
    throw new Error(
      `${path} belongs to another user (uid ${uid}), who could read or change the credentials; run the command as that user, or set XDG_CONFIG_HOME to a folder of your own`,
    );
  if ((mode & otherBits) !== 0) {
    const octal = (mode & 0o7777).toString(8).padStart(4, "0");
    throw new Error(`other users of this machine can access ${path} (mode ${octal}); run: ${fix} ${path}`);
  }
}
