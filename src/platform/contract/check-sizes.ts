import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import { type FieldLimits, limitsOf } from "./field-limits.ts";

type Properties = Record<string, unknown>;
type Check = (message: Properties, path: string) => void;

/** The checks of each type of message, compiled once, because every request is checked. */
const checksOf = new WeakMap<DescMessage, readonly Check[]>();

/**
 * Removes duplicates from the lists of texts and enum values in a request, and requires that every text, list and map in it
 * is within its limit.
 * @throws ApiError (3) that names the field: a parameter of the request in snake_case, a field of the resource in lowerCamelCase
 */
export function checkSizes(desc: DescMessage, request: Message): void {
  check(desc, request, "");
}

function check(desc: DescMessage, message: Properties, path: string): void {
  let checks = checksOf.get(desc);
  if (checks === undefined) {
    // Set before its fields are visited, because messages may be recursive.
    const compiled: Check[] = [];
    checksOf.set(desc, compiled);
    compiled.push(...desc.fields.flatMap((field) => checkOf(field) ?? []));
    checks = compiled;
  }
  for (const one of checks) one(message, path);
}

/** The check of a field; undefined if its values have a fixed size. */
function checkOf(field: DescField): Check | undefined {
  const { localName, oneof } = field;
  const checkValue = valueCheckOf(field);
  if (checkValue === undefined) return undefined;
  const at = pathOf(field);
  if (oneof === undefined)
    return (message, path) => {
      const value = message[localName];
      if (value !== undefined) checkValue(value, at(path), message);
    };
  return (message, path) => {
    const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
    if (chosen.case === localName) checkValue(chosen.value, at(path), message);
  };
}

type ValueCheck = (value: unknown, at: string, message: Properties) => void;

function valueCheckOf(field: DescField): ValueCheck | undefined {
  const limits = limitsOf(field);
  switch (field.fieldKind) {
    case "enum":
      return undefined;
    case "scalar":
      return (value, at) => checkText(value, limits.textLength, at);
    case "message": {
      const { message: desc } = field;
      return (value, at) => check(desc, value as Properties, at);
    }
    case "list":
      return listCheckOf(field, limits);
    case "map": {
      const checkItem = itemCheckOf(field, limits);
      return (value, at) => {
        const entries = Object.entries(value as Properties);
        if (entries.length > limits.entries) throw invalidArgument(at, `must have at most ${limits.entries} entries`);
        for (const [key, item] of entries) {
          if (key.length > limits.keyLength)
            throw invalidArgument(at, `must have keys of at most ${limits.keyLength} characters`);
          checkItem(item, `${at}.${key}`);
        }
      };
    }
  }
}

function listCheckOf(field: DescField & { fieldKind: "list" }, limits: FieldLimits): ValueCheck {
  const { localName } = field;
  const checkItem = itemCheckOf(field, limits);
  return (value, at, message) => {
    let items = value as readonly unknown[];
    if (items.length > 1 && field.message === undefined) {
      items = [...new Set(items)];
      message[localName] = items;
    }
    if (items.length > limits.items) throw invalidArgument(at, `must have at most ${limits.items} different items`);
    for (const [index, item] of items.entries()) checkItem(item, `${at}[${index}]`);
  };
}

function itemCheckOf(
  { message: desc }: DescField & { fieldKind: "list" | "map" },
  { textLength }: FieldLimits,
): (item: unknown, at: string) => void {
  if (desc === undefined) return (item, at) => checkText(item, textLength, at);
  return (item, at) => check(desc, item as Properties, at);
}

function checkText(value: unknown, longest: number, at: string): void {
  if (typeof value === "string" && value.length > longest)
    throw invalidArgument(at, `must have at most ${longest} characters`);
}

/** How errors name a field in a message at a path. The body of a REST request is the resource, so its name is not in the path. */
function pathOf({ parent, message, fieldKind, name, jsonName }: DescField): (path: string) => string {
  const isParameter = /(Request|Filter)$/.test(parent.name);
  const isBody = isParameter && fieldKind === "message" && /\.(v\d\w*|iam|registry)\.[A-Z]\w*$/.test(message.typeName);
  if (isBody) return (path) => path;
  const own = isParameter ? name : jsonName;
  return (path) => (path === "" ? own : `${path}.${own}`);
}
