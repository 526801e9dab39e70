import { readdir, readFile } from "node:fs/promises";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/control-plane/kube-client.ts";

/** They stand below a group whose uid each platform makes for itself. */
export async function loadExamples(root: string): Promise<KubeObject[]> {
  const folder = new URL("../../examples/", import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  return texts.flatMap((text) =>
    parseAllDocuments(text.replaceAll("0".repeat(40), root)).map((document) => document.toJS() as KubeObject),
  );
}

/** On the platform as the present spec says. */
export function isReady(object: KubeObject | undefined): boolean {
  const conditions: { type: string; status: string; observedGeneration: number }[] =
    object?.["status"]?.conditions ?? [];
  return conditions.some(
    ({ type, status, observedGeneration }) =>
      type === "Ready" && status === "True" && observedGeneration === object?.metadata.generation,
  );
}

/** One of Muster's own kinds. */
export const isOurs = ({ apiVersion }: KubeObject): boolean => apiVersion.startsWith("iam.muster.dev/");
