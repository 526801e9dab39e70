import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { apiGroup } from "#src/api/custom-resource.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject } from "#src/plan/memory-cluster.ts";
import { parseDocuments } from "./parse-documents.ts";
import { type OtherKind, readObject, specSchemasOf } from "./read-object.ts";

/** An object in a file. */
export interface Manifest {
  readonly object: ClusterObject;
  /** Where it is, such as `tree.yaml: document 2 (line 14)`. */
  readonly where: string;
}

/** Objects of one kind that the operator does not read. */
export interface NotPlanned extends OtherKind {
  readonly count: number;
}

/** What is in files. */
export interface ReadManifests {
  readonly manifests: readonly Manifest[];
  /** What else is in the files: a plan has nothing to do with it. */
  readonly notPlanned: readonly NotPlanned[];
}

/** More manifests than this are not read. */
const maxObjects = 100_000;
/** A larger file is not read. */
const maxBytes = 64 * 1024 * 1024;
const extensions: readonly string[] = [".yaml", ".yml", ".json"];
/** In a folder, these are for kustomize: what they name is in other files. */
const kustomizations: readonly string[] = ["kustomization.yaml", "kustomization.yml"];

export interface ManifestText {
  readonly name: string;
  readonly text: string;
}

export interface ManifestSources {
  readonly stdin: NodeJS.ReadableStream;
  /** Texts that were made elsewhere, each with the name by which messages call it. */
  readonly others?: readonly ManifestText[];
  /** Of objects that name none. */
  readonly namespace: string;
  readonly kinds: readonly Kind[];
}

/**
 * Reads manifests, with the default values that the API server fills in. Objects of other groups, such as the Secret beside an
 * IdentityProvider, are counted and not read.
 * @param paths of files and folders, or `-`
 * @throws {Error} that names file, document and field of every mistake
 */
export async function readManifests(
  paths: readonly string[],
  { kinds, namespace, others: texts = [], stdin }: ManifestSources,
): Promise<ReadManifests> {
  const schemas = specSchemasOf(kinds);
  const found: Manifest[] = [];
  const others = new Map<string, NotPlanned>();
  const mistakes: string[] = [];
  for await (const { name, text } of textsOf(paths, { others: texts, stdin })) {
    let number = 0;
    for (const { error, line, value: document } of parseDocuments(text)) {
      const where = `${name}: document ${(number += 1)} (line ${line})`;
      if (error !== undefined) {
        mistakes.push(`${where}: ${error}`);
        continue;
      }
      for (const { value, at } of itemsOf(document, where)) {
        const read = readObject(value, namespace, schemas);
        if ("mistake" in read) mistakes.push(`${at}: ${read.mistake}`);
        else if ("object" in read) found.push({ object: read.object, where: at });
        else count(others, read.other);
      }
      if (found.length > maxObjects) throw new Error(`${where}: there are more than ${maxObjects} objects`);
    }
  }
  mistakes.push(...duplicates(found));
  if (mistakes.length > 0) throw new Error(`invalid manifests\n  ${mistakes.join("\n  ")}`);
  return { manifests: found, notPlanned: [...others.values()] };
}

function count(counts: Map<string, NotPlanned>, { apiVersion, kind }: OtherKind): void {
  const name = `${apiVersion} ${kind}`;
  counts.set(name, { apiVersion, kind, count: (counts.get(name)?.count ?? 0) + 1 });
}

async function* textsOf(
  paths: readonly string[],
  { others, stdin }: Required<Pick<ManifestSources, "others" | "stdin">>,
): AsyncGenerator<ManifestText> {
  for (const path of paths)
    if (path === "-") yield { name: "standard input", text: await readAll(stdin) };
    else for (const file of filesOf(path)) yield { name: file, text: readFile(file) };
  yield* others;
}

function filesOf(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`--filename: the file or folder ${path} does not exist`);
  if (!stats.isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => extensions.includes(extname(name)) && !kustomizations.includes(basename(name)))
    .toSorted()
    .map((name) => join(path, name))
    .filter((file) => !isFolder(file));
  if (files.length === 0) throw new Error(`--filename: no file below ${path} ends with ${extensions.join(", ")}`);
  return files;
}

/** @throws {Error} if it is neither a file nor a folder: reading a pipe in a folder would wait for its writer */
function isFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`--filename: ${path} is a link to a file that does not exist`);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error(`--filename: ${path} is not a file`);
  return stats.isDirectory();
}

function readFile(path: string): string {
  if (statSync(path).size > maxBytes) throw new Error(`--filename: ${path} is larger than 64 MiB`);
  return readFileSync(path, "utf8");
}

/** The objects of a document: it may be empty, or a list, such as `kubectl get -o yaml` prints. */
function itemsOf(value: unknown, where: string): readonly { readonly value: unknown; readonly at: string }[] {
  if (value === null || value === undefined) return [];
  const items = listedIn(value);
  return items?.map((item, index) => ({ value: item, at: `${where}: items.${index}` })) ?? [{ value, at: where }];
}

function listedIn(value: unknown): readonly unknown[] | undefined {
  const { apiVersion = "", kind = "", items } = value as Readonly<Record<string, unknown>>;
  const isList = apiVersion === "v1" ? kind === "List" : String(apiVersion).startsWith(`${apiGroup}/`);
  return isList && String(kind).endsWith("List") && Array.isArray(items) ? items : undefined;
}

function duplicates(manifests: readonly Manifest[]): readonly string[] {
  const first = new Map<string, string>();
  return manifests.flatMap(({ object, where }) => {
    const name = `${object.kind} ${keyOf(object)}`;
    const other = first.get(name);
    if (other === undefined) first.set(name, where);
    return other === undefined ? [] : [`${where}: metadata.name: ${name} is also in ${other}`];
  });
}
