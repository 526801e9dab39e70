import { groupKind } from "#src/kinds/group.ts";
import { identityKind } from "#src/kinds/identity.ts";
import { identityProviderKind } from "#src/kinds/identity-provider.ts";
import { roleKind } from "#src/kinds/role.ts";
import { roleBindingKind } from "#src/kinds/role-binding.ts";
import type { GroupFolder, ImportedObject, ImportedTree } from "./imported-tree.ts";
import { manifestText } from "./manifest-text.ts";
import { secretComment } from "./secret-steps.ts";

/** The texts of an import's files by their paths, which are relative and have `/` between their names. */
export type ImportFiles = ReadonlyMap<string, string>;

/** The names of objects by kind. */
export type EarlierNames = ReadonlyMap<string, readonly string[]>;

const kinds = [groupKind, identityKind, roleKind, roleBindingKind, identityProviderKind].map(({ name }) => name);
const kustomizationFile = "kustomization.yaml";

/**
 * The files of an import: the Namespace, the Tenant, and one folder a group with one file an object. The kustomization of each folder
 * names its files and the folders in it. A folder comes before the one that contains it, and a kustomization after what it names.
 */
export function importFiles({ namespace, tenant, folder, secrets }: ImportedTree): ImportFiles {
  const files = new Map<string, string>();
  addFolder(files, folder, "", secrets);
  files.set("namespace.yaml", manifestText({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }));
  files.set("tenant.yaml", manifestText({ ...tenant }));
  files.set(kustomizationFile, kustomization(["namespace.yaml", "tenant.yaml", folder.name]));
  return files;
}

function addFolder(
  files: Map<string, string>,
  { name, objects, folders }: GroupFolder,
  above: string,
  secrets: ImportedTree["secrets"],
): void {
  const path = `${above}${name}/`;
  for (const folder of folders) addFolder(files, folder, path, secrets);
  for (const object of objects)
    files.set(path + fileOf(object), commentOf(object, secrets) + manifestText({ ...object }));
  const resources = [...objects.map(fileOf), ...folders.map((folder) => folder.name)];
  files.set(path + kustomizationFile, kustomization(resources));
}

function commentOf({ spec }: ImportedObject, secrets: ImportedTree["secrets"]): string {
  const uid = String(spec["uid"]);
  const secret = secrets.get(uid);
  return secret === undefined
    ? ""
    : secretComment(uid, secret)
        .map((line) => `# ${line}\n`)
        .join("");
}

/** The name of an object is unique among those of its kind, and no longer than a label. */
function fileOf({ kind, metadata }: ImportedObject): string {
  return `${kind.toLowerCase()}-${metadata.name}.yaml`;
}

/** The names of the objects in the files of an import, from the paths of the files. */
export function namesInFiles(paths: readonly string[]): EarlierNames {
  const files = paths.map((path) => path.slice(path.lastIndexOf("/") + 1));
  return new Map(
    kinds.map((kind) => {
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
