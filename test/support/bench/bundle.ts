import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";

/** The tree of sources that this file belongs to. */
export const thisTree = fileURLToPath(new URL("../../../", import.meta.url));

/** The program as production runs it. */
export interface Program {
  readonly file: string;
  /** The environment variables that the image sets, as the manifest's container changes them. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Bundles the program as the image does, in a folder of its own: another build cannot change what is measured.
 * @param manifest the manifest whose first container is measured, for its memory limit
 * @param tree the tree of sources, such as a worktree with another commit
 */
export async function bundle(folder: string, manifest: string, tree = thisTree): Promise<Program> {
  await promisify(execFile)(process.execPath, ["scripts/build.ts", folder], { cwd: tree });
  return { file: join(folder, "muster.mjs"), env: await imageEnvironment(tree, manifest) };
}

interface EnvVar {
  readonly name: string;
  readonly value?: string;
}

/**
 * The variables that the image sets, with the values of the manifest where it sets them, too. The image gives the heap a share of the container's memory. Here no container
 * limits the memory, so the share is computed from the manifest's limit.
 */
async function imageEnvironment(tree: string, manifest: string): Promise<Record<string, string>> {
  const dockerfile = await readFile(join(tree, "Dockerfile"), "utf8");
  const variables = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = ""]) => [
    ...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g),
  ]);
  const { spec } = parse(await readFile(join(tree, manifest), "utf8"));
  const { initContainers = [], containers } = spec.template?.spec ?? spec;
  const [container] = [...initContainers, ...containers];
  const limit = /^(\d+)Mi$/.exec(container.resources.limits.memory)?.[1];
  const set = new Map<string, string>((container.env ?? []).map(({ name, value }: EnvVar) => [name, value]));
  const withHeapSize = (value: string) =>
    value.replace(
      /--max-old-space-size-percentage=(\d+)/,
      (_, share: string) => `--max-old-space-size=${Math.floor((Number(limit) * Number(share)) / 100)}`,
    );
  return Object.fromEntries(
    variables.map(([, name = "", quoted, bare]) => [name, withHeapSize(set.get(name) ?? quoted ?? bare ?? "")]),
  );
}
