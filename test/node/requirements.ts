import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { allProgramsAreBuilt } from "./programs.ts";

/** This machine cannot run a node. The message says what is missing and how to get it. */
export class NodeUnavailable extends Error {
  override readonly name = "NodeUnavailable";
}

/** A file that a node needs, and the package of Debian that has it. */
interface Requirement {
  readonly file: string;
  readonly package: string;
}

const requirements: readonly Requirement[] = [
  { file: "runc", package: "runc" },
  { file: "buildah", package: "buildah" },
  { file: "mmdebstrap", package: "mmdebstrap" },
  { file: "iptables", package: "iptables" },
  { file: "/usr/lib/cni/bridge", package: "containernetworking-plugins" },
  { file: "ip", package: "iproute2" },
  { file: "openssl", package: "openssl" },
  { file: "unshare", package: "util-linux" },
  { file: "mount", package: "mount" },
];

/** Where the programs of the system are: the PATH of a user without rights may not have all. */
export const systemPath = [process.env["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"].join(delimiter);

/** @throws {NodeUnavailable} unless this machine has everything that a node needs */
export async function checkRequirements(): Promise<void> {
  const problems: string[] = [];
  if (process.platform !== "linux") throw new NodeUnavailable("a node runs on Linux only");
  if (process.getuid?.() !== 0) problems.push("It needs root: run the command as root, for example with sudo.");
  problems.push(...(await missingPackages(requirements)));
  if (!(await isInstalled("go")) && !(await allProgramsAreBuilt()))
    problems.push("Go is missing, which builds the programs of the node once: install Go 1.26 or newer.");
  if (!(await exists("/sys/fs/cgroup"))) problems.push("There are no cgroups at /sys/fs/cgroup.");
  throwIfAny(problems);
}

/** Checks what only some tests need. @throws {NodeUnavailable} unless this machine has these files */
export async function checkPackages(required: readonly Requirement[]): Promise<void> {
  throwIfAny(await missingPackages(required));
}

async function missingPackages(required: readonly Requirement[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { file, package: name } of required) if (!(await isInstalled(file))) missing.push(name);
  if (missing.length === 0) return [];
  return [`Programs are missing. Debian and Ubuntu have them: apt-get install --yes ${missing.join(" ")}`];
}

function throwIfAny(problems: readonly string[]): void {
  if (problems.length > 0) throw new NodeUnavailable(`This machine cannot run a node. ${problems.join(" ")}`);
}

async function isInstalled(file: string): Promise<boolean> {
  const places = file.startsWith("/") ? [file] : systemPath.split(delimiter).map((folder) => join(folder, file));
  const found = await Promise.all(places.map((place) => exists(place, constants.X_OK)));
  return found.includes(true);
}

const exists = (path: string, mode = constants.F_OK): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );
