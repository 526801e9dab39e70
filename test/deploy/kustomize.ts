import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";
import { buildDeployTools } from "#test/support/deploy-tools/build.ts";

const run = promisify(execFile);

/** The absolute path of `deploy/kustomize`. */
export const manifests = fileURLToPath(new URL("../../deploy/kustomize", import.meta.url));

/**
 * Builds a folder, by its path relative to `deploy/kustomize`, and returns its objects in the order in which they must be applied. If
 * `KUBEBUILDER_ASSETS` provides the control plane, kubectl is used, because Go may be missing.
 */
export async function kustomize(folder: string): Promise<readonly KubeObject[]> {
  const path = resolve(manifests, folder);
  const [command, ...args] = process.env["KUBEBUILDER_ASSETS"]
    ? ["kubectl", "kustomize", path]
    : [await buildDeployTools(), "kustomize", "build", path];
  const { stdout } = await run(command, args, { maxBuffer: 2 ** 24 });
  return parseAllDocuments(stdout).map((document) => document.toJS() as KubeObject);
}
