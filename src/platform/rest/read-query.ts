import { create, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { invalidArgument } from "../errors/api-error.ts";
import { fieldsOf } from "../json/read-json.ts";
import { readDuration, readEnum, readScalar, readTimestamp } from "../json/read-scalar.ts";

type Properties = Record<string, unknown>;

/**
 * Sets the fields of a request from its query parameters. A parameter is the path of a field, such as `uidp.children_of` or
 * `uidp.childrenOf`. Only parameters for repeated fields may be repeated.
 * @param bound the fields that the path or the body sets, and no parameter can set
 * @throws ApiError (3) that names the unknown, repeated or invalid parameter. Unknown parameters are not ignored, because
 *   without a mistyped filter the response would contain more than was requested.
 */
export function readQuery(
  desc: DescMessage,
  request: object,
  parameters: Iterable<readonly [string, string]>,
  bound: ReadonlySet<string>,
): void {
  const seen = new Set<DescField>();
  for (const [name, text] of parameters) {
    let target = request as Properties;
    let within = desc;
    const segments = name.split(".");
    for (const [index, segment] of segments.entries()) {
      const field = fieldsOf(within).get(segment);
      if (field === undefined) throw invalidArgument(name, "unknown query parameter");
      if (index === 0 && bound.has(field.name))
        throw invalidArgument(name, "must not be a parameter: the path or the body sets it");
      if (index < segments.length - 1) {
        if (field.fieldKind !== "message") throw invalidArgument(name, "unknown query parameter");
        target[field.localName] ??= create(field.message);
        target = target[field.localName] as Properties;
        within = field.message;
      } else setParameter(target, field, name, text, seen);
    }
  }
}

function setParameter(target: Properties, field: DescField, name: string, text: string, seen: Set<DescField>): void {
  if (field.fieldKind === "list") {
    (target[field.localName] as unknown[]).push(readText(field, name, text));
    return;
  }
  if (seen.has(field)) throw invalidArgument(name, "must not be repeated");
  seen.add(field);
  const value = readText(field, name, text);
  if (field.oneof === undefined) target[field.localName] = value;
  else target[field.oneof.localName] = { case: field.localName, value };
}

function readText(field: DescField, name: string, text: string): unknown {
  if (field.enum !== undefined) return readEnum(field.enum, text, name);
  if (field.message !== undefined) {
    switch (field.message.typeName) {
      case "google.protobuf.Timestamp":
        return readTimestamp(text, name);
      case "google.protobuf.Duration":
        return readDuration(text, name);
      case FieldMaskSchema.typeName:
        return create(FieldMaskSchema, { paths: text === "" ? [] : text.split(",").map((path) => path.trim()) });
      default:
        throw invalidArgument(name, "unknown query parameter");
    }
  }
  if (field.scalar === ScalarType.BOOL) {
    if (text !== "true" && text !== "false") throw invalidArgument(name, "must be true or false");
    return text === "true";
  }
  return readScalar(field.scalar, text, name);
}
