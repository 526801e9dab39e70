import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { reflect, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { behaviorOf } from "../contract/field-behavior.ts";

/** A field's value before and after; one that is left out was, or is, not set. */
export interface FieldChange {
  readonly old?: JsonValue;
  readonly new?: JsonValue;
}

/** By the field's path as the contract's JSON has it: `claimMatch.subject`. */
export type FieldChanges = Readonly<Record<string, FieldChange>>;

/** Stands in the place of a secret. That it changed shows; what it was and is does not. */
const secretMark = "(secret)";

/** What the platform notes down by itself, and the uid, which the record has beside. */
const notes: ReadonlySet<string> = new Set(["uid", "createTime", "updateTime", "lastSeenTime"]);

/** In which fields two versions of a resource differ; `undefined` stands for none before, or none after. */
export function fieldChanges<T extends Message>(
  schema: DescMessage,
  before: T | undefined,
  after: T | undefined,
): FieldChanges {
  const was = before === undefined ? new Map<string, Leaf>() : leavesOf(schema, before);
  const is = after === undefined ? new Map<string, Leaf>() : leavesOf(schema, after);
  const changes: Record<string, FieldChange> = {};
  for (const path of new Set([...was.keys(), ...is.keys()])) {
    const [old, next] = [was.get(path), is.get(path)];
    if (old?.fingerprint === next?.fingerprint) continue;
    changes[path] = { ...(old && { old: old.shown }), ...(next && { new: next.shown }) };
  }
  return changes;
}

interface Leaf {
  readonly shown: JsonValue;
  /** Equal where the value is. */
  readonly fingerprint: string;
}

function leavesOf(schema: DescMessage, message: Message): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  addLeaves(leaves, "", reflect(schema, message));
  return leaves;
}

function addLeaves(leaves: Map<string, Leaf>, prefix: string, message: ReflectMessage): void {
  const json = toJson(message.desc, message.message) as JsonObject;
  for (const field of message.fields) {
    const value = json[field.jsonName];
    if (value === undefined || (prefix === "" && notes.has(field.jsonName))) continue;
    const path = `${prefix}${field.jsonName}`;
    if (field.fieldKind === "message" && !isWellKnown(field.message) && !behaviorOf(field).secret)
      addLeaves(leaves, `${path}.`, message.get(field));
    else leaves.set(path, { shown: holdsSecret(field) ? secretMark : value, fingerprint: JSON.stringify(value) });
  }
}

/** Timestamps and the like are single values in JSON. */
function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

/** A list or a map is shown whole or not at all. */
function holdsSecret(field: DescField, seen: ReadonlySet<DescMessage> = new Set()): boolean {
  if (behaviorOf(field).secret) return true;
  const { message } = field;
  if (message === undefined || seen.has(message)) return false;
  return message.fields.some((inner) => holdsSecret(inner, new Set([...seen, message])));
}
