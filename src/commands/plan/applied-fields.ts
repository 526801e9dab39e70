import * as z from "zod";
import { parseJson } from "#src/json/parse-json.ts";
import { type KubeObject, lastApplied } from "#src/kube/object.ts";

/** Fields by name, each with the fields in it. */
export interface AppliedFields extends ReadonlyMap<string, AppliedFields> {}

/** The labels, annotations and fields of the spec that `kubectl apply`, or who works like it, has set. */
export interface EarlierApply {
  readonly onClient: AppliedFields;
  readonly onServer: AppliedFields;
}

type Fields = Map<string, Fields>;

const fields = z.record(z.string(), z.unknown());
const managers = z
  .array(z.object({ operation: z.string(), subresource: z.string().optional(), fieldsV1: fields.catch({}) }))
  .catch([]);

/** What an earlier apply has set of an object. All who apply it on the server are taken for the one who applies it next. */
export function appliedFields({ metadata }: KubeObject): EarlierApply {
  const { managedFields } = metadata as { readonly managedFields?: unknown };
  const onClient: Fields = new Map();
  addFields(onClient, parseJson(metadata.annotations?.[lastApplied] ?? ""), (name) => name);
  const onServer: Fields = new Map();
  const others: Fields = new Map();
  for (const { operation, subresource, fieldsV1 } of managers.parse(managedFields))
    if (subresource === undefined) addFields(operation === "Apply" ? onServer : others, fieldsV1, managedName);
  return { onClient: ofFiles(onClient), onServer: ofFiles(without(onServer, others)) };
}

/** What is not of others, too: on the server, a field stays until nobody owns it. */
function without(applied: Fields, others: Fields): Fields {
  return new Map(
    [...applied].flatMap(([name, within]) => {
      const ofOthers = others.get(name);
      if (ofOthers === undefined) return [[name, within]];
      const left = without(within, ofOthers);
      return left.size === 0 ? [] : [[name, left]];
    }),
  );
}

/** Of `f:NAME` in the record of a manager; the entry `.` is the map itself, and others are items of a list. */
function managedName(field: string): string | undefined {
  return field.startsWith("f:") ? field.slice(2) : undefined;
}

function addFields(known: Fields, given: unknown, nameOf: (field: string) => string | undefined): void {
  const read = fields.safeParse(given);
  if (!read.success) return;
  for (const [field, value] of Object.entries(read.data)) {
    const name = nameOf(field);
    if (name === undefined) continue;
    const within: Fields = known.get(name) ?? new Map();
    known.set(name, within);
    addFields(within, value, nameOf);
  }
}

/** Without what a file cannot change, such as the name. */
function ofFiles(found: Fields): AppliedFields {
  return only(
    new Map([...found, ["metadata", only(found.get("metadata"), "labels", "annotations")]]),
    "metadata",
    "spec",
  );
}

function only(found: Fields = new Map(), ...names: readonly string[]): Fields {
  return new Map([...found].filter(([name]) => names.includes(name)));
}
