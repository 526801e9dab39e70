import {
  clearField,
  clone,
  create,
  type DescField,
  type DescMessage,
  isFieldSet,
  type MessageShape,
} from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import { behaviorOf } from "./field-behavior.ts";

type Properties = Record<string, unknown>;

/** The part of a resource that an update changes: the fields at some paths, or the whole resource (`*`). */
export type Mask = { readonly kind: "fields"; readonly paths: readonly FieldPath[] } | { readonly kind: "all" };

/** A field of the resource, followed by fields of nested messages; never empty. */
type FieldPath = readonly DescField[];

/**
 * Reads the mask of an update. An empty mask means all fields of the patch that do not have the default value, including
 * those of nested messages. (Over REST the fields that are present in the body are the mask, so it is empty only if the
 * body is.)
 * @param paths in lowerCamelCase or snake_case
 * @throws ApiError (3) on `update_mask` for an unknown, read-only or immutable path, for a path into a map or a list,
 *   and for `*` together with other paths; on the field itself if there is no mask and the patch sets an immutable field
 */
export function readMask<D extends DescMessage>(desc: D, paths: readonly string[], patch: MessageShape<D>): Mask {
  if (paths.length === 0) return { kind: "fields", paths: populatedPaths(desc, patch) };
  if (paths.includes("*")) {
    if (paths.length > 1) throw invalidArgument("update_mask", "* must be the only path");
    return { kind: "all" };
  }
  return { kind: "fields", paths: paths.map((path) => readPath(desc, path)) };
}

function readPath(desc: DescMessage, path: string): FieldPath {
  const fields: DescField[] = [];
  let within: DescMessage | undefined = desc;
  for (const segment of path.split(".")) {
    const field: DescField | undefined = within?.fields.find(
      ({ name, jsonName }) => name === segment || jsonName === segment,
    );
    if (field === undefined) throw invalidArgument("update_mask", `unknown path "${path}"`);
    const { readOnly, immutable } = behaviorOf(field);
    if (readOnly || immutable) throw invalidArgument("update_mask", `"${path}" cannot be changed`);
    fields.push(field);
    within = field.fieldKind === "message" ? field.message : undefined;
  }
  return fields;
}

function populatedPaths(desc: DescMessage, message: MessageShape<DescMessage>): FieldPath[] {
  return desc.fields
    .filter((field) => isFieldSet(message, field) && !behaviorOf(field).readOnly)
    .flatMap((field): FieldPath[] => {
      if (behaviorOf(field).immutable) throw invalidArgument(field.jsonName, "cannot be changed");
      if (field.fieldKind !== "message" || isText(field.message)) return [[field]];
      const nested = valueOf(message, field) as MessageShape<DescMessage>;
      return populatedPaths(field.message, nested).map((path) => [field, ...path]);
    });
}

/** Messages that are a single value, not a set of fields. */
function isText(desc: DescMessage): boolean {
  return desc.typeName === "google.protobuf.Timestamp" || desc.typeName === "google.protobuf.Duration";
}

/**
 * Returns the resource after the update, as a new message. A field in the mask that the patch does not set is reset.
 * Setting a member of a oneof clears its siblings. Maps and lists are replaced as a whole. Read-only fields stay.
 * @param kept fields that a full replacement leaves unchanged, in addition to the read-only ones
 */
export function applyMask<D extends DescMessage>(
  desc: D,
  current: MessageShape<D>,
  patch: MessageShape<D>,
  mask: Mask,
  kept: readonly string[] = [],
): MessageShape<D> {
  const updated = clone(desc, current);
  const paths =
    mask.kind === "fields"
      ? mask.paths
      : desc.fields
          .filter((field) => !behaviorOf(field).readOnly && !behaviorOf(field).immutable && !kept.includes(field.name))
          .map((field) => [field]);
  // Resets come first, so that resetting a member of a oneof does not clear the sibling that is set.
  for (const path of paths) if (!isSetAt(patch, path)) change(updated, patch, path);
  for (const path of paths) if (isSetAt(patch, path)) change(updated, patch, path);
  return updated;
}

function isSetAt(message: unknown, path: FieldPath): boolean {
  const [field, ...rest] = path;
  if (field === undefined) return true;
  return (
    isFieldSet(message as MessageShape<DescMessage>, field) && isSetAt(valueOf(message as Properties, field), rest)
  );
}

function change(target: unknown, patch: unknown, [field, ...rest]: FieldPath): void {
  if (field === undefined) return;
  const [to, from] = [target as Properties, patch as Properties];
  const given = isFieldSet(patch as MessageShape<DescMessage>, field) ? valueOf(from, field) : undefined;
  if (rest.length === 0 || field.fieldKind !== "message") {
    if (given === undefined) clearField(target as MessageShape<DescMessage>, field);
    else setValue(to, field, given);
    return;
  }
  let nested = isFieldSet(target as MessageShape<DescMessage>, field) ? valueOf(to, field) : undefined;
  if (nested === undefined) {
    if (given === undefined) return;
    nested = create(field.message);
    setValue(to, field, nested);
  }
  change(nested, given ?? create(field.message), rest);
}

function valueOf(message: object, field: DescField): unknown {
  const properties = message as Properties;
  if (field.oneof === undefined) return properties[field.localName];
  return (properties[field.oneof.localName] as { value?: unknown }).value;
}

function setValue(message: Properties, field: DescField, value: unknown): void {
  if (field.oneof === undefined) message[field.localName] = value;
  else message[field.oneof.localName] = { case: field.localName, value };
}
