import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { isValueOf } from "../contract/open-enum.ts";
import { invalidArgument } from "../errors/api-error.ts";

/** The range of a protobuf timestamp, in seconds since the epoch. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];
/** The maximum of a protobuf duration in seconds, about 10,000 years. */
const longestSeconds = 315_576_000_000n;

/**
 * Rejects values that the binary format can encode but JSON cannot: unknown enum numbers, and timestamps and durations
 * out of range; and unknown fields, which are there only if the message was read with them. Over REST, reading the JSON
 * rejects them.
 * @throws ApiError (3) that names the field as JSON does, or the number of an unknown field
 */
export function checkMessage(desc: DescMessage, message: Message, path = ""): void {
  checkKnown(message, path);
  for (const field of desc.fields) {
    if (field.enum === undefined && field.message === undefined) continue;
    const at = path === "" ? field.jsonName : `${path}.${field.jsonName}`;
    const value = valueOf(message, field);
    if (value === undefined) continue;
    if (field.fieldKind === "list")
      for (const [index, item] of (value as unknown[]).entries()) checkItem(field, item, `${at}[${index}]`);
    else if (field.fieldKind === "map")
      for (const [key, item] of Object.entries(value as Properties)) checkItem(field, item, `${at}.${key}`);
    else checkItem(field, value, at);
  }
}

function checkKnown({ $unknown }: Message, path: string): void {
  const [field] = $unknown ?? [];
  if (field !== undefined) throw invalidArgument(path === "" ? `${field.no}` : `${path}.${field.no}`, "unknown field");
}

type Properties = Readonly<Record<string, unknown>>;

function valueOf(message: Message, { oneof, localName }: DescField): unknown {
  const properties = message as unknown as Properties;
  if (oneof === undefined) return properties[localName];
  const chosen = properties[oneof.localName] as { readonly case?: string; readonly value?: unknown };
  return chosen.case === localName ? chosen.value : undefined;
}

function checkItem(field: DescField, value: unknown, at: string): void {
  if (field.enum !== undefined) {
    if (!isValueOf(field.enum, value as number)) throw invalidArgument(at, `unknown enum number ${String(value)}`);
  } else if (field.message !== undefined) checkNested(field.message, value as Message, at);
}

function checkNested(desc: DescMessage, message: Message, at: string): void {
  checkKnown(message, at);
  const { seconds, nanos } = message as Message & { readonly seconds: bigint; readonly nanos: number };
  switch (desc.typeName) {
    case "google.protobuf.Timestamp":
      if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999)
        throw invalidArgument(at, "must be in the years 1 to 9999");
      return;
    case "google.protobuf.Duration":
      if (seconds < -longestSeconds || seconds > longestSeconds || Math.abs(nanos) > 999_999_999)
        throw invalidArgument(at, "must be at most 10,000 years");
      return;
    default:
      checkMessage(desc, message, at);
  }
}
