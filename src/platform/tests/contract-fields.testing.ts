import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  type JsonObject,
} from "@bufbuild/protobuf";
import { behaviorOf } from "../contract/field-behavior.ts";
import { http } from "../gen/google/api/annotations_pb.ts";

// What the contract has, read from the generated files: tests that go through it need no list that somebody could forget.

/** All services of the contract. */
export async function contractServices(): Promise<readonly DescService[]> {
  const folder = join(import.meta.dirname, "../gen/muster");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("_pb.ts"));
  const modules = await Promise.all(files.map((file) => import(join(folder, file)) as Promise<object>));
  return modules.flatMap((one) => Object.values(one)).filter(({ kind }: { kind?: string }) => kind === "service");
}

/** The REST path of a method, without what follows the collection: `/iam/v2beta1/groups`. */
export function collectionPath(method: DescMethod): string {
  const { pattern } = getOption(method, http);
  return typeof pattern.value === "string" ? pattern.value.replace(/\/\{.*/, "") : "";
}

/** The paths of the fields that a client can set. */
export function* settable(desc: DescMessage, at = ""): Generator<string> {
  for (const field of desc.fields) {
    if (behaviorOf(field).readOnly) continue;
    yield at + field.jsonName;
    const inner = innerOf(field);
    if (inner !== undefined) yield* settable(inner, `${at}${field.jsonName}.`);
  }
}

/** The paths of the fields that a body has. Items of lists and values of maps have that of the list or map. */
export function* pathsIn(desc: DescMessage, body: JsonObject, at = ""): Generator<string> {
  for (const field of desc.fields) {
    const value = body[field.jsonName];
    if (value === undefined) continue;
    yield at + field.jsonName;
    const inner = innerOf(field);
    const items = field.fieldKind === "message" ? [value] : Object.values(value as JsonObject);
    if (inner !== undefined)
      for (const item of items) yield* pathsIn(inner, item as JsonObject, `${at}${field.jsonName}.`);
  }
}

/** The message that a field consists of; undefined if it is one value. */
export function innerOf({ message }: DescField): DescMessage | undefined {
  return message?.typeName.startsWith("google.protobuf.") === false ? message : undefined;
}
