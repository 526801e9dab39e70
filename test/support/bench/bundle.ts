import { execFile } from "node:child_process";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The program as production runs it. */
export interface Program {
  readonly file: string;
  /** What the image tells Node. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Bundles the program as the image does, into a folder of its own, so that no other build changes what is measured.
 * @param manifest with what container limits the part that is measured is deployed
 */
export async function bundle(folder: string, manifest = "deploy/kustomize/base/deployment.yaml"): Promise<Program> {
  await promisify(execFile)(process.execPath, ["scripts/build.ts", folder], { cwd: root });
  const file = join(folder, "muster.mjs");
  // By this name it is a module without a package.json beside it.
  await rename(join(folder, "muster.js"), file);
  return { file, env: await imageEnvironment(manifest) };
}

/**
 * The variables that the image sets. What is a share of the container's memory there is a number here, where no container
 * sets a limit: of the limit with which the part is deployed.
 */
async function imageEnvironment(manifest: string): Promise<Record<string, string>> {
  const dockerfile = await readFile(join(root, "Dockerfile"), "utf8");
  const variables = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = ""]) => [
    ...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g),
  ]);
  const deployment = parse(await readFile(join(root, manifest), "utf8"));
  const limit = /^(\d+)Mi$/.exec(deployment.spec.template.spec.containers[0].resources.limits.memory)?.[1];
  const inNumbers = (value: string) =>
    value.replace(
      /--max-old-space-size-percentage=(\d+)/,
      (_, share: string) => `--max-old-space-size=${Math.floor((Number(limit) * Number(share)) / 100)}`,
    );
  return Object.fromEntries(variables.map(([, name = "", quoted, bare]) => [name, inNumbers(quoted ?? bare ?? "")]));
}
