import { statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type * as z from "zod";
import { readError } from "#src/commands/settings/settings.ts";
import { apiVersion } from "#src/api/custom-resource.ts";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { filesBelow, isFile, TooManyFiles } from "#src/files/files-below.ts";
import { readStream, readText, type TextLimits, TooLong } from "#src/files/read-text.ts";
import { shortLines } from "#src/text/short-list.ts";
import type { Kind } from "#src/kinds/kind.ts";
import { keyOf } from "#src/kube/object.ts";
import type { ClusterObject } from "#src/plan/memory-cluster.ts";
import { parseDocuments } from "./parse-documents.ts";

/** An object in a file. */
export interface Manifest {
  readonly object: ClusterObject;
  /** Where it is, such as `tree.yaml: document 2 (line 14)`. */
  readonly where: string;
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

const objectFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);
/** The fields of ObjectMeta in the API of Kubernetes, which refuses others. */
const metadataFields = {
  annotations: "",
  creationTimestamp: "",
  deletionGracePeriodSeconds: "",
  deletionTimestamp: "",
  finalizers: "",
  generateName: "",
  generation: "",
  labels: "",
  managedFields: "",
  name: "",
  namespace: "",
  ownerReferences: "",
  resourceVersion: "",
  selfLink: "",
  uid: "",
};

/** The schemas of specs, by kind. */
export type SpecSchemas = ReadonlyMap<string, z.ZodType>;

export function specSchemasOf(kinds: readonly Kind[]): SpecSchemas {
  return new Map<string, z.ZodType>([
    ...kinds.map(({ name, definition }) => [name, definition.specSchema] as const),
    ["Tenant", tenantSpecSchema],
  ]);
}

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
 * Reads manifests, with the default values that the API server fills in: at most 100,000 objects, and 256 MiB of text.
 * @param paths of files, pipes and folders, or `-`
 * @throws {Error} that names file, document and field of every mistake, up to 100
 */
export async function readManifests(
  paths: readonly string[],
  { kinds, namespace, others = [], signal, stdin }: ManifestSources,
): Promise<readonly Manifest[]> {
  const schemas = specSchemasOf(kinds);
  const found: Manifest[] = [];
  const mistakes: string[] = [];
  for await (const { name, text } of textsOf(paths, { others, signal, stdin })) {
    let number = 0;
    for (const { error, line, value: document } of parseDocuments(text)) {
      const where = `${name}: document ${(number += 1)} (line ${line})`;
      if (error !== undefined) {
        mistakes.push(`${where}: ${error}`);
        continue;
      }
      for (const { value, at } of itemsOf(document, where)) {
        const read = readObject(value, namespace, schemas);
        if (typeof read === "string") mistakes.push(`${at}: ${read}`);
        else found.push({ object: read, where: at });
      }
      if (found.length + mistakes.length > maxObjects)
        throw new Error(`${where}: there are more than ${maxObjects} objects: plan them in parts`);
    }
  }
  mistakes.push(...duplicates(found));
  if (mistakes.length > 0) throw new Error(`invalid manifests\n  ${shortLines(mistakes, shownMistakes)}`);
  return found;
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
      .filter(isFile);
  } catch (error) {
    if (!(error instanceof TooManyFiles)) throw error;
    throw new Error(`--filename: ${error.message}: name a folder that has only manifests`, { cause: error });
  }
}

/** The objects of a document: it may be empty, or a List. */
function itemsOf(value: unknown, where: string): readonly { readonly value: unknown; readonly at: string }[] {
  if (value === null || value === undefined) return [];
  if (isRecord(value) && value["apiVersion"] === "v1" && value["kind"] === "List" && Array.isArray(value["items"]))
    return value["items"].map((item: unknown, index) => ({ value: item, at: `${where}: items.${index}` }));
  return [{ value, at: where }];
}

/** @returns what is wrong, if something is */
function readObject(value: unknown, defaultNamespace: string, schemas: SpecSchemas): ClusterObject | string {
  if (!isRecord(value)) return "the document is not an object";
  const { apiVersion: version, kind, metadata, spec } = value;
  if (typeof kind !== "string") return "kind: is missing";
  if (kind === "Kustomization" && String(version).startsWith("kustomize.config.k8s.io/"))
    return "kind: Kustomization is for Kustomize: give its folder to --kustomize (-k)";
  if (!isRecord(metadata) || typeof metadata["name"] !== "string" || metadata["name"] === "")
    return "metadata.name: is missing";
  const { name, namespace, labels, annotations, uid, generation, resourceVersion } = metadata;
  const others = Object.entries({ labels, annotations, uid, generation, resourceVersion });
  const kept: ClusterObject["metadata"] = {
    name,
    ...Object.fromEntries(others.filter(([, field]) => field !== undefined)),
  };
  if (version === "v1" && kind === "Namespace") return { apiVersion: version, kind, metadata: withName(kept) };
  const schema = schemas.get(kind);
  if (version !== apiVersion || schema === undefined)
    return `kind: ${String(version)} ${kind} is not planned; the kinds are Namespace of v1, and ${[...schemas.keys()].join(", ")} of ${apiVersion}`;
  const parsed = schema.safeParse(spec ?? {});
  if (!parsed.success)
    return parsed.error.issues.map(({ path, message }) => `${["spec", ...path].join(".")}: ${message}`).join("; ");
  const unknown =
    Object.keys(value).find((field) => !objectFields.has(field)) ??
    unknownField(metadata, metadataFields, "metadata") ??
    unknownField(spec, parsed.data, "spec");
  if (unknown !== undefined) return `${unknown}: is not a field of ${kind}`;
  if (kind === "Tenant") return { apiVersion, kind, metadata: kept, spec: parsed.data };
  if (namespace !== undefined && typeof namespace !== "string") return "metadata.namespace: is not a text";
  const status = value["status"];
  return {
    apiVersion,
    kind,
    metadata: { ...kept, namespace: namespace ?? defaultNamespace },
    spec: parsed.data,
    ...(status === undefined ? {} : { status }),
  };
}

/** Every namespace has its name as a label, which the API server adds. */
function withName(metadata: ClusterObject["metadata"]): ClusterObject["metadata"] {
  return { ...metadata, labels: { "kubernetes.io/metadata.name": metadata.name, ...metadata.labels } };
}

/** The path of a field that the schema does not have. */
function unknownField(given: unknown, known: unknown, path: string): string | undefined {
  if (Array.isArray(given) && Array.isArray(known)) {
    for (const [index, item] of given.entries()) {
      const found = unknownField(item, known[index], `${path}.${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isRecord(given) || !isRecord(known)) return undefined;
  for (const [field, value] of Object.entries(given)) {
    if (value !== null && !(field in known)) return `${path}.${field}`;
    const found = unknownField(value, known[field], `${path}.${field}`);
    if (found !== undefined) return found;
  }
  return undefined;
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
