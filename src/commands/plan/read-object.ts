import * as z from "zod";
import { apiGroup, apiVersion } from "#src/api/custom-resource.ts";
import { tenantSpecSchema } from "#src/api/tenant.ts";
import { isJsonObject } from "#src/json/json-object.ts";
import type { Kind } from "#src/kinds/kind.ts";
import type { ClusterObject } from "#src/plan/memory-cluster.ts";
import { objectMetadata } from "./object-metadata.ts";

/** The schemas of specs, by kind. */
export type SpecSchemas = ReadonlyMap<string, z.ZodType>;

export function specSchemasOf(kinds: readonly Kind[]): SpecSchemas {
  return new Map<string, z.ZodType>([
    ...kinds.map(({ name, definition }) => [name, definition.specSchema] as const),
    ["Tenant", tenantSpecSchema],
  ]);
}

/** A kind of objects that the operator does not read, such as Secrets. */
export interface OtherKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What a document is: an object, with its spec as it is written, one that a plan has nothing to do with, or why it is not valid. */
export type ReadObject =
  | { readonly object: ClusterObject; readonly spec: unknown }
  | { readonly other: OtherKind }
  | { readonly mistake: string };

const objectFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

/**
 * Reads an object as the API server does, with its default values.
 * @param defaultNamespace of an object that names none
 */
export function readObject(value: unknown, defaultNamespace: string, schemas: SpecSchemas): ReadObject {
  if (!isJsonObject(value)) return { mistake: "the document is not an object" };
  const { apiVersion: version, kind, metadata, spec, status } = value;
  if (typeof version !== "string") return { mistake: "apiVersion: is missing" };
  if (typeof kind !== "string") return { mistake: "kind: is missing" };
  if (kind === "Kustomization" && version.startsWith("kustomize.config.k8s.io/"))
    return { mistake: "kind: Kustomization is for Kustomize: give its folder to --kustomize (-k)" };
  const isNamespace = version === "v1" && kind === "Namespace";
  if (!isNamespace && !version.startsWith(`${apiGroup}/`)) return { other: { apiVersion: version, kind } };
  const schema = isNamespace ? z.unknown() : schemas.get(kind);
  if (schema === undefined || (!isNamespace && version !== apiVersion))
    return {
      mistake: `kind: there is no ${kind} of ${version}; the kinds are ${[...schemas.keys()].join(", ")} of ${apiVersion}`,
    };
  if (!isJsonObject(metadata) || metadata["name"] === undefined) return { mistake: nameIsMissing(metadata) };
  const meta = objectMetadata.safeParse(metadata, { error: missingOrNull });
  if (!meta.success) return { mistake: messageOf(meta.error, "metadata") };
  const parsed = parseSpec(schema, spec);
  if ("mistake" in parsed) return parsed;
  const unknown =
    unknownMetadata(metadata) ??
    (isNamespace
      ? undefined
      : (Object.keys(value).find((field) => !objectFields.has(field)) ?? unknownField(spec, parsed.spec, "spec")));
  if (unknown !== undefined) return { mistake: `${unknown}: is not a field of ${kind}` };
  const kept = keptOf(meta.data);
  if (isNamespace) return { object: { apiVersion: version, kind, metadata: withName(kept) }, spec: undefined };
  if (kind === "Tenant") return { object: { apiVersion, kind, metadata: kept, spec: parsed.spec }, spec };
  const namespace = meta.data.namespace || defaultNamespace;
  return {
    object: {
      apiVersion,
      kind,
      metadata: { ...kept, namespace },
      spec: parsed.spec,
      ...(status === undefined ? {} : { status }),
    },
    spec,
  };
}

/** A spec with its default values, or why it is not valid. */
export function parseSpec(schema: z.ZodType, spec: unknown): { readonly spec: unknown } | { readonly mistake: string } {
  const parsed = schema.safeParse(spec ?? {}, { error: missingOrNull });
  return parsed.success ? { spec: parsed.data } : { mistake: messageOf(parsed.error, "spec") };
}

/** Of what is not there, which the schemas have no message for. */
function missingOrNull({ code, input }: { readonly code?: string; readonly input?: unknown }): string | undefined {
  if (code !== "invalid_type" || (input !== undefined && input !== null)) return undefined;
  return input === null ? "is null: remove the field, or give it a value" : "is missing";
}

function nameIsMissing(metadata: unknown): string {
  return isJsonObject(metadata) && metadata["generateName"] !== undefined
    ? "metadata.generateName: the API server chooses another name each time: give metadata.name instead"
    : "metadata.name: is missing";
}

function messageOf({ issues }: z.ZodError, field: string): string {
  return issues.map(({ path, message }) => `${[field, ...path].join(".")}: ${message}`).join("; ");
}

function keptOf(metadata: z.output<typeof objectMetadata>): ClusterObject["metadata"] {
  const { name, labels, annotations, uid, generation, resourceVersion } = metadata;
  const others = Object.entries({ labels, annotations, uid, generation, resourceVersion });
  return { name, ...Object.fromEntries(others.filter(([, field]) => field !== undefined && field !== null)) };
}

/** Every namespace has its name as a label, which the API server adds. */
function withName(metadata: ClusterObject["metadata"]): ClusterObject["metadata"] {
  return { ...metadata, labels: { "kubernetes.io/metadata.name": metadata.name, ...metadata.labels } };
}

function unknownMetadata(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.entries(metadata).find(([field, value]) => value !== null && !(field in objectMetadata.shape));
  return unknown && `metadata.${unknown[0]}`;
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
  if (!isJsonObject(given) || !isJsonObject(known)) return undefined;
  for (const [field, value] of Object.entries(given)) {
    if (value !== null && !(field in known)) return `${path}.${field}`;
    const found = unknownField(value, known[field], `${path}.${field}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
