import { readdir, readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** The Muster objects of a folder of `examples/` in the order of the files, with `root` as the uid of the root group. */
export async function examples(root: string, subfolder = ""): Promise<KubeObject[]> {
  const objects = await exampleManifests(root, subfolder);
  return objects.filter(({ apiVersion }) => apiVersion.startsWith("iam.muster.dev/"));
}

/** All objects of a folder of `examples/`, with the Secrets and the permissions that Muster's objects need. */
export async function exampleManifests(root: string, subfolder: string): Promise<KubeObject[]> {
  const folder = new URL(`../../../examples/${subfolder}`, import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  return texts
    .flatMap((text) => parseAllDocuments(text.replaceAll("0".repeat(40), root)))
    .map((document) => document.toJS() as KubeObject);
}
