import { statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { apiGroup } from "#src/api/custom-resource.ts";
import { readError } from "#src/commands/settings/settings.ts";
import { filesBelow, TooManyFiles } from "#src/files/files-below.ts";
import { readStream, readText, type TextLimits, TooLong } from "#src/files/read-text.ts";
import { shortLines } from "#src/text/short-list.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject } from "#src/plan/memory-cluster.ts";
import { parseDocuments } from "./parse-documents.ts";
import { type OtherKind, readObject, specSchemasOf } from "./read-object.ts";

/** An object in a file. */
export interface Manifest {
  readonly object: ClusterObject;
  /** The spec as it is written, without default values. */
  readonly spec: unknown;
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
/** Of all files together: 2.6 KiB for each of 100,000 objects. */
const maxBytes = 256 * 1024 * 1024;
/** A folder with more files is not one of manifests. */
const maxEntries = 200_000;
/** More mistakes are only counted. */
const shownMistakes = 100;
const extensions: readonly string[] = [".yaml", ".yml", ".json"];
/** In a folder, these are for kustomize: what they name is in other files. */
const kustomizations: readonly string[] = ["kustomization.yaml", "kustomization.yml"];

export interface ManifestText {
  readonly name: string;
  readonly text: string;
}

export interface ManifestSources {
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
  /** Texts that were made elsewhere, each with the name by which messages call it. */
  readonly others?: readonly ManifestText[];
  /** Of objects that name none. */
  readonly namespace: string;
  readonly kinds: readonly Kind[];
}

/**
 * Reads manifests, with the default values that the API server fills in: at most 100,000 objects, and 256 MiB of text. Objects of
 * other groups, such as the Secret beside an IdentityProvider, are counted and not read.
 * @param paths of files, pipes and folders, or `-`
 * @throws {Error} that names file, document and field of every mistake, up to 100; and if no object is in them
 */
export async function readManifests(
  paths: readonly string[],
  { kinds, namespace, others: texts = [], signal, stdin }: ManifestSources,
): Promise<ReadManifests> {
  const schemas = specSchemasOf(kinds);
  const found: Manifest[] = [];
  const others = new Map<string, NotPlanned>();
  const mistakes: string[] = [];
  for await (const { name, text } of textsOf(paths, { others: texts, signal, stdin })) {
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
        else if ("object" in read) found.push({ ...read, where: at });
        else count(others, read.other);
      }
      if (found.length + mistakes.length + others.size > maxObjects)
        throw new Error(`${where}: there are more than ${maxObjects} objects: plan them in parts`);
    }
  }
  mistakes.push(...duplicates(found));
  if (mistakes.length > 0) throw new Error(`invalid manifests\n  ${shortLines(mistakes, shownMistakes)}`);
  const hasSources = paths.length + texts.length > 0;
  if (hasSources && found.length + others.size === 0)
    throw new Error("the manifests contain no objects: check the path, or whether the command that writes them failed");
  return { manifests: found, notPlanned: [...others.values()] };
}

function count(counts: Map<string, NotPlanned>, { apiVersion, kind }: OtherKind): void {
  const name = `${apiVersion} ${kind}`;
  counts.set(name, { apiVersion, kind, count: (counts.get(name)?.count ?? 0) + 1 });
}

async function* textsOf(
  paths: readonly string[],
  { others, signal, stdin }: Required<Pick<ManifestSources, "others" | "signal" | "stdin">>,
): AsyncGenerator<ManifestText> {
  let left = maxBytes;
  const read = async (name: string, text: (limits: TextLimits) => Promise<string>): Promise<ManifestText> => {
    try {
      const found = { name, text: await text({ maxBytes: left, signal }) };
      left -= Buffer.byteLength(found.text);
      return found;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof TooLong)) throw readError("--filename", name, error);
      const what = `with ${name}, the manifests are larger than ${maxBytes / 2 ** 20} MiB`;
      throw new Error(`--filename: ${what}: plan them in parts`, { cause: error });
    }
  };
  for (const path of paths)
    if (path === "-") yield read("standard input", (limits) => readStream(stdin, limits));
    else for (const file of filesOf(path)) yield read(file, (limits) => readText(file, limits));
  yield* others;
}

/** The path itself; of a folder, those of the manifests in it and below it. */
function filesOf(path: string): readonly string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`--filename: the file or folder ${path} does not exist`);
  if (!stats.isDirectory()) return [path];
  const files = manifestsBelow(path).toSorted();
  if (files.length === 0) throw new Error(`--filename: no file below ${path} ends with ${extensions.join(", ")}`);
  return files;
}

function manifestsBelow(folder: string): readonly string[] {
  try {
    return [...filesBelow(folder, { maxEntries })]
      .filter(({ path }) => extensions.includes(extname(path)) && !kustomizations.includes(basename(path)))
      .map(({ path }) => join(folder, path))
      .filter((file) => !isFolder(file));
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    throw new Error(`--filename: ${error.message}: name a folder that has only manifests`, { cause: error });
  }
}

/** @throws {Error} if it is neither a file nor a folder: reading a pipe in a folder would wait for its writer */
function isFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`--filename: ${path} is a link to a file that does not exist`);
  if (!stats.isFile() && !stats.isDirectory()) throw new Error(`--filename: ${path} is not a file`);
  return stats.isDirectory();
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
