import { readdir, readFile } from "node:fs/promises";
import { type Document, parseAllDocuments } from "yaml";
import type { KubeObject } from "#test/support/control-plane/kube-client.ts";

/** What was parsed in this process, by folder, because most suites need it. */
const parsed = new Map<string, Promise<readonly Document[]>>();

/** The CRDs of `crds/`. @param folder another `crds/`, such as that of another commit */
export async function customResourceDefinitions(
  folder = new URL("../../../crds/", import.meta.url),
): Promise<KubeObject[]> {
  const documents = parsed.get(folder.href) ?? parse(folder);
  parsed.set(folder.href, documents);
  // A suite may change its own.
  return (await documents).map((document) => document.toJS() as KubeObject);
}

async function parse(folder: URL): Promise<readonly Document[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml"));
  const documents = await Promise.all(
    files.map(async (file) => parseAllDocuments(await readFile(new URL(file, folder), "utf8"))),
  );
  return documents.flat();
}

/** Whether the API server serves the kind that the CRD defines. */
export function isEstablished(object: KubeObject | undefined): boolean {
  const conditions: { type: string; status: string }[] = object?.["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}
