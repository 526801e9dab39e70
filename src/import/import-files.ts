import type { Kind } from "#src/kinds/kind.ts";
import type { GroupFolder, ImportedObject, ImportedTree } from "./imported-tree.ts";
import { manifestText } from "./manifest-text.ts";
import { secretComment } from "./secret-steps.ts";
import { tenantComment } from "./tenant-comment.ts";

/** The texts of an import's files by their paths, which are relative and have `/` between their names. */
export type ImportFiles = ReadonlyMap<string, string>;

/** The names of objects by kind. */
export type EarlierNames = ReadonlyMap<string, readonly string[]>;

/** The path of the file with the Namespace. */
export const namespaceFile = "namespace.yaml";
/** The path of the file with the Tenant. */
export const tenantFile = "tenant.yaml";

/**
 * The files of an import: the Namespace, the Tenant, and one folder a group with one file an object. There is one kustomization, after
 * all that it names: with one in each folder, Kustomize needs half as long again, and `kubectl apply --recursive` refuses the folders.
 */
export function importFiles({ namespace, tenant, folder, secrets }: ImportedTree): ImportFiles {
  const files = new Map<string, string>();
  files.set(namespaceFile, manifestText({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }));
  files.set(tenantFile, comment(tenantComment(tenant.spec, folder)) + manifestText({ ...tenant }));
  addFolder(files, folder, "", secrets);
  files.set("kustomization.yaml", kustomization([...files.keys()]));
  return files;
}

function addFolder(
  files: Map<string, string>,
  { name, objects, folders }: GroupFolder,
  above: string,
  secrets: ImportedTree["secrets"],
): void {
  const path = `${above}${name}/`;
  for (const object of objects)
    files.set(path + fileOf(object), commentOf(object, secrets) + manifestText({ ...object }));
  for (const folder of folders) addFolder(files, folder, path, secrets);
}

function commentOf({ spec }: ImportedObject, secrets: ImportedTree["secrets"]): string {
  const uid = String(spec["uid"]);
  const secret = secrets.get(uid);
  return secret === undefined ? "" : comment(secretComment(uid, secret));
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => `# ${line}\n`).join("");
}

/** The name of an object is unique among those of its kind, and no longer than a label. */
function fileOf({ kind, metadata }: ImportedObject): string {
  return `${kind.toLowerCase()}-${metadata.name}.yaml`;
}

/** The names of the objects in the files of an import, from the paths of the files. */
export function namesInFiles(paths: readonly string[], kinds: readonly Pick<Kind, "name">[]): EarlierNames {
  const files = paths.map((path) => path.slice(path.lastIndexOf("/") + 1));
  return new Map(
    kinds.map(({ name: kind }) => {
      const [start, end] = [`${kind.toLowerCase()}-`, ".yaml"];
      const own = files.filter((file) => file.startsWith(start) && file.endsWith(end));
      return [kind, own.map((file) => file.slice(start.length, -end.length))];
    }),
  );
}

function kustomization(resources: readonly string[]): string {
  const apiVersion = "kustomize.config.k8s.io/v1beta1";
  return manifestText({ apiVersion, kind: "Kustomization", resources: resources.toSorted() });
}
