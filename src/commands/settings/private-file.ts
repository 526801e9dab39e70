import { lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Others than the owner and the group may read or write. */
const otherBits = 0o006;

/**
 * Checks that only the owner and the group of a file with a secret can read it, or change it. A missing file passes: whatever
 * reads it reports that.
 *
 * A file of a Kubernetes volume (a Secret or a projected token) is exempt: its default mode is 0644, and only the containers
 * that mount the volume see it. Such a file is reached through a link to `..data/…`, which the kubelet makes, in its own path
 * or in that of one of its folders. A file that is mounted with `subPath` has no link: set `defaultMode: 0440` there.
 * @param flag the setting whose value is the path
 * @throws {Error} that names the flag, the file and its mode, and how to change it
 */
export function requirePrivateFile(flag: string, path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & otherBits) === 0 || isInKubernetesVolume(path)) return;
  const octal = (mode & 0o7777).toString(8).padStart(4, "0");
  throw new Error(`${flag}: every user of this machine can access ${path} (mode ${octal}); run: chmod o-rwx ${path}`);
}

function isInKubernetesVolume(path: string): boolean {
  for (let current = resolve(path); current !== dirname(current); current = dirname(current))
    if (lstatSync(current).isSymbolicLink() && readlinkSync(current).startsWith("..data/")) return true;
  return false;
}
