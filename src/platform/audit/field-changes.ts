import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { behaviorOf } from "../contract/field-behavior.ts";
import { GroupInviteSchema } from "../gen/muster/platform/iam/v2beta1/group_invite_pb.ts";

/** The value of a field before and after a change. A missing value means that the field was not set. A short record has no old value. */
export interface FieldChange {
  readonly old?: JsonValue;
  readonly new?: JsonValue;
  /** Instead of `new`: the field may be set, to a value that the record does not have. */
  readonly omitted?: true;
}

/** Changes by the path of the field in JSON: `claimMatch.subject`. */
export type FieldChanges = Readonly<Record<string, FieldChange>>;

/** Replaces the value of a secret: the record shows that it changed, but not its value. */
const secretMark = "(secret)";

/** Replaces what only identifies a person outside of the platform. Records name people by the uids of their identities. */
const personalMark = "(personal)";

/** Fields that contain e-mail addresses. */
const personalFields: ReadonlySet<DescField> = new Set([GroupInviteSchema.field.email]);

/**
 * Fields that the platform maintains, and the uid, which is a field of the record itself. Records are kept after the identity of a
 * person is deleted, and name people by uids alone.
 */
const maintainedFields: ReadonlySet<string> = new Set(["uid", "createTime", "updateTime", "lastSeenTime", "person"]);

/** The fields in which two versions of a resource differ. @param before undefined for create @param after undefined for delete */
export function fieldChanges<T extends Message>(
  schema: DescMessage,
  before: T | undefined,
  after: T | undefined,
): FieldChanges {
  const was = before === undefined ? none : leavesOf(schema, before);
  const is = after === undefined ? none : leavesOf(schema, after);
  const changes: Record<string, FieldChange> = {};
  for (const path of new Set([...was.keys(), ...is.keys()])) {
    const [old, next] = [was.get(path), is.get(path)];
    if (old !== undefined && next !== undefined && JSON.stringify(old.value) === JSON.stringify(next.value)) continue;
    changes[path] = { ...(old && { old: shown(old) }), ...(next && { new: shown(next) }) };
  }
  return changes;
}

/** The value of a field that is shown as a whole. */
interface Leaf {
  readonly field: DescField;
  readonly value: JsonValue;
}

const none: ReadonlyMap<string, Leaf> = new Map();

function leavesOf(schema: DescMessage, message: Message): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  addLeaves(leaves, "", schema, toJson(schema, message) as JsonObject);
  return leaves;
}

function addLeaves(leaves: Map<string, Leaf>, prefix: string, { fields }: DescMessage, json: JsonObject): void {
  for (const field of fields) {
    const value = json[field.jsonName];
    if (value === undefined || (prefix === "" && maintainedFields.has(field.jsonName))) continue;
    const path = `${prefix}${field.jsonName}`;
    // A message without fields is a value, too: that it is set may be all that it says.
    if (field.fieldKind === "message" && !isWellKnown(field.message) && !behaviorOf(field).secret && !isEmpty(value))
      addLeaves(leaves, `${path}.`, field.message, value as JsonObject);
    else leaves.set(path, { field, value });
  }
}

function shown({ field, value }: Leaf): JsonValue {
  if (personalFields.has(field)) return personalMark;
  return containsSecret(field) ? secretMark : value;
}

function isEmpty(value: JsonValue): boolean {
  return Object.keys(value as JsonObject).length === 0;
}

/** Well-known types such as timestamps are single values in JSON. */
function isWellKnown({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
}

/** Whether the field contains a secret at any depth. A list or a map is shown either completely or not at all. */
function containsSecret(field: DescField, seen: ReadonlySet<DescMessage> = new Set()): boolean {
  if (behaviorOf(field).secret) return true;
  const { message } = field;
  if (message === undefined || seen.has(message)) return false;
  return message.fields.some((inner) => containsSecret(inner, new Set([...seen, message])));
}
