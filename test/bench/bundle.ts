import { execFile } from "node:child_process";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The program as production runs it. */
export interface Program {
  readonly file: string;
  /** What the image tells Node. */
  readonly env: Readonly<Record<string, string>>;
}

/** Bundles the program as the image does, into a folder of its own, so that no other build changes what is measured. */
export async function bundle(folder: string): Promise<Program> {
  await promisify(execFile)(process.execPath, ["scripts/build.ts", folder], { cwd: root });
  const file = join(folder, "muster.mjs");
  // By this name it is a module without a package.json beside it.
  await rename(join(folder, "muster.js"), file);
  return { file, env: { NODE_OPTIONS: await nodeOptions() } };
}

/**
 * The options of Node in the image. What is a share of the container's memory there is a number here, where no container
 * sets a limit: of the limit with which the operator is deployed.
 */
async function nodeOptions(): Promise<string> {
  const dockerfile = await readFile(join(root, "Dockerfile"), "utf8");
  const options = /^ENV NODE_OPTIONS="(.*)"$/m.exec(dockerfile)?.[1] ?? "";
  const deployment = parse(await readFile(join(root, "deploy/kustomize/base/deployment.yaml"), "utf8"));
  const limit = /^(\d+)Mi$/.exec(deployment.spec.template.spec.containers[0].resources.limits.memory)?.[1];
  return options.replace(
    /--max-old-space-size-percentage=(\d+)/,
    (_, share: string) => `--max-old-space-size=${Math.floor((Number(limit) * Number(share)) / 100)}`,
  );
}
