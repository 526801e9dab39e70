import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { behaviorOf } from "../contract/field-behavior.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { readDuration, readEnum, readScalar, readTimestamp } from "./read-scalar.ts";

export interface JsonReadOptions {
  /** How to treat a field that the contract does not have. */
  readonly unknownFields: "refuse" | "ignore";
}

export interface ReadMessage {
  readonly message: Message;
  /**
   * The fields that the JSON sets, as field mask paths; for a nested message, the paths of its fields. A `null` field is
   * present and means the default. Read-only fields and empty secrets are ignored, so they are not present.
   */
  readonly present: readonly string[];
}

type Properties = Record<string, unknown>;

/**
 * Reads a message from JSON. Field names are in lowerCamelCase or snake_case.
 * @param path of the message in the body, for errors; empty for the body itself
 * @throws ApiError (3) that names the first field that is unknown or has an invalid value
 */
export function readJson(desc: DescMessage, json: unknown, options: JsonReadOptions, path = ""): ReadMessage {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw invalidArgument(path === "" ? "body" : path, "must be an object");
  const message = create(desc) as Message & Properties;
  const present: string[] = [];
  for (const [key, value] of Object.entries(json)) {
    const at = path === "" ? key : `${path}.${key}`;
    const field = fieldsOf(desc).get(key);
    if (field === undefined) {
      if (options.unknownFields === "ignore") continue;
      throw invalidArgument(at, "unknown field");
    }
    const other = key === field.name ? field.jsonName : field.name;
    if (other !== key && Object.hasOwn(json, other) && isAfter(json, key, other))
      throw invalidArgument(at, `must not be repeated as ${field.jsonName} and ${field.name}`);
    const { readOnly, secret } = behaviorOf(field);
    if (readOnly || (secret && (value === null || value === ""))) continue;
    if (value === null) {
      present.push(field.name);
      continue;
    }
    present.push(...setField(message, field, value, at, options));
  }
  return { message, present };
}

/** Whether an object has one key after another one. */
function isAfter(json: object, key: string, other: string): boolean {
  const keys = Object.keys(json);
  return keys.indexOf(key) > keys.indexOf(other);
}

/** Sets the field. @returns the paths that are present as a result */
function setField(
  message: Properties,
  field: DescField,
  json: unknown,
  path: string,
  options: JsonReadOptions,
): readonly string[] {
  let present: readonly string[] = [field.name];
  let value: unknown;
  if (field.fieldKind === "message" && !isWellKnown(field.message)) {
    const read = readJson(field.message, json, options, path);
    value = read.message;
    present = read.present.map((inner) => `${field.name}.${inner}`);
  } else value = readValue(field, json, path, options);
  if (field.oneof === undefined) message[field.localName] = value;
  else {
    const chosen = message[field.oneof.localName] as { case?: string };
    if (chosen.case !== undefined && chosen.case !== field.localName)
      throw invalidArgument(
        path,
        `only one of ${field.oneof.fields.map(({ jsonName }) => jsonName).join(", ")} may be set`,
      );
    message[field.oneof.localName] = { case: field.localName, value };
  }
  return present;
}

function readValue(field: DescField, json: unknown, path: string, options: JsonReadOptions): unknown {
  switch (field.fieldKind) {
    case "scalar":
      return readScalar(field.scalar, json, path);
    case "enum":
      return readEnum(field.enum, json, path);
    case "message":
      return readNested(field.message, json, path, options);
    case "list":
      if (!Array.isArray(json)) throw invalidArgument(path, "must be a list");
      return json.map((item, index) => readItem(field, item, `${path}[${index}]`, options));
    case "map": {
      if (typeof json !== "object" || json === null || Array.isArray(json))
        throw invalidArgument(path, "must be an object");
      const map: Properties = {};
      for (const [key, item] of Object.entries(json)) {
        const at = `${path}.${key}`;
        const name = readScalar(field.mapKey, key, at).toString();
        if (Object.hasOwn(map, name)) throw invalidArgument(at, "must not be repeated in another spelling");
        // Assignment would set the prototype if the key is "__proto__".
        Object.defineProperty(map, name, {
          value: readItem(field, item, at, options),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return map;
    }
  }
}

/** Reads an element of a list or a value of a map. */
function readItem(
  field: DescField & { fieldKind: "list" | "map" },
  json: unknown,
  path: string,
  options: JsonReadOptions,
): unknown {
  if (field.message !== undefined) return readNested(field.message, json, path, options);
  if (field.enum !== undefined) return readEnum(field.enum, json, path);
  return readScalar(field.scalar, json, path);
}

function readNested(desc: DescMessage, json: unknown, path: string, options: JsonReadOptions): Message {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return readTimestamp(json, path);
    case "google.protobuf.Duration":
      return readDuration(json, path);
    default:
      return readJson(desc, json, options, path).message;
  }
}

/** Messages whose JSON is a single string, so they are set as a whole. */
function isWellKnown(desc: DescMessage): boolean {
  return desc.typeName === "google.protobuf.Timestamp" || desc.typeName === "google.protobuf.Duration";
}

const fieldMaps = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** The fields of a message by both spellings of their names. */
export function fieldsOf(desc: DescMessage): ReadonlyMap<string, DescField> {
  let fields = fieldMaps.get(desc);
  if (fields === undefined) {
    fields = new Map(
      desc.fields.flatMap((field) => [
        [field.jsonName, field],
        [field.name, field],
      ]),
    );
    fieldMaps.set(desc, fields);
  }
  return fields;
}
