import { type DescEnum, type DescField, type DescMessage, type Message, toJson } from "@bufbuild/protobuf";
import {
  type Duration,
  FieldMaskSchema,
  StructSchema,
  type Timestamp,
  timestampMs,
  type Value,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { behaviorOf } from "../contract/field-behavior.ts";

/** A message as a record of its generated properties. */
type Properties = Readonly<Record<string, unknown>>;
type JsonObject = Record<string, unknown>;
type FieldWriter = (message: Properties, json: JsonObject) => void;

/** Compiled writers by message type, because writing a response is on the hot path. */
const writers = new WeakMap<DescMessage, readonly FieldWriter[]>();

/**
 * Returns a message as the JSON of a response: names in lowerCamelCase, 64-bit integers as strings, timestamps with
 * three decimals. Zero values are written. Unset messages and optional fields, write-only fields and empty secrets are
 * omitted.
 */
export function toJsonObject(desc: DescMessage, message: Message): JsonObject {
  return writeMessage(desc, message);
}

function writeMessage(desc: DescMessage, message: object): JsonObject {
  let fields = writers.get(desc);
  if (fields === undefined) {
    fields = desc.fields.filter((field) => !behaviorOf(field).writeOnly).map(writerOf);
    writers.set(desc, fields);
  }
  const json: JsonObject = {};
  for (const write of fields) write(message as Properties, json);
  return json;
}

function writerOf(field: DescField): FieldWriter {
  const { jsonName, localName } = field;
  const value = valueWriterOf(field);
  if (behaviorOf(field).secret)
    return (message, json) => {
      const secret = message[localName];
      if (secret !== "") json[jsonName] = secret;
    };
  if (field.oneof !== undefined) {
    const { localName: oneofName } = field.oneof;
    return (message, json) => {
      const chosen = message[oneofName] as { case?: string; value?: unknown };
      if (chosen.case === localName) json[jsonName] = value(chosen.value);
    };
  }
  return (message, json) => {
    const given = message[localName];
    if (given !== undefined) json[jsonName] = value(given);
  };
}

function valueWriterOf(field: DescField): (value: unknown) => unknown {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
    case "message":
      return elementWriter(field);
    case "list": {
      const writeElement = elementWriter(field);
      return (values) => (values as unknown[]).map(writeElement);
    }
    case "map": {
      const writeElement = elementWriter(field);
      return (values) => {
        const entries = Object.entries(values as Properties);
        return entries.length === 0
          ? {}
          : Object.fromEntries(entries.map(([key, value]) => [key, writeElement(value)]));
      };
    }
  }
}

/** Writes a single value: that of a singular field, or an element of a list or map. */
function elementWriter({ message, enum: desc }: Pick<DescField, "message" | "enum">): (value: unknown) => unknown {
  if (message !== undefined) return messageWriter(message);
  return desc === undefined ? writeScalar : enumWriter(desc);
}

function writeScalar(value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

function enumWriter(desc: DescEnum): (value: unknown) => unknown {
  return (value) => desc.value[value as number]?.name ?? value;
}

function messageWriter(desc: DescMessage): (value: unknown) => unknown {
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      return (value) => writeTime(timestampMs(value as Timestamp));
    case "google.protobuf.Duration":
      return (value) => writeDuration(value as Duration);
    case FieldMaskSchema.typeName:
      return (value) => (value as { paths: string[] }).paths.join(",");
    case ValueSchema.typeName:
      return (value) => toJson(ValueSchema, value as Value);
    case StructSchema.typeName:
      // The generated property is the JSON itself.
      return (value) => value;
    default:
      return (value) => writeMessage(desc, value as object);
  }
}

const dayLength = 24 * 60 * 60 * 1_000;
/** The day of the time that was written last, and what ISO 8601 writes of it. Most times of a page are of one day. */
let [day, date] = [Number.NaN, ""];

/** A time in milliseconds since the epoch, as `toISOString` writes it. @throws RangeError if it is not valid */
function writeTime(time: number): string {
  const thisDay = Math.floor(time / dayLength);
  if (thisDay !== day) [day, date] = [thisDay, new Date(time).toISOString().slice(0, -"00:00:00.000Z".length)];
  const rest = time - day * dayLength;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  return `${date}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)}.${String(rest % 1_000).padStart(3, "0")}Z`;
}

const allTwoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

function twoDigits(number: number): string {
  return allTwoDigits[number] as string;
}

function writeDuration({ seconds, nanos }: Duration): string {
  if (nanos === 0) return `${seconds}s`;
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  const whole = seconds < 0n ? -seconds : seconds;
  return `${sign}${whole}.${Math.abs(nanos).toString().padStart(9, "0").replace(/0+$/, "")}s`;
}
