import { isUtf8 } from "node:buffer";
import { create, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { type FieldMask, FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { invalidArgument, notFound } from "../errors/api-error.ts";
import { bodyTooLarge } from "../server/body-too-large.ts";
import { hasMoreValues } from "../json/count-values.ts";
import { hasRepeatedMembers } from "../json/repeated-members.ts";
import { fieldsOf, type JsonReadOptions, readJson } from "../json/read-json.ts";
import { toJsonObject } from "../json/write-json.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import type { CallSlot } from "../service/call-slots.ts";
import type { Operation } from "../service/operations.ts";
import { type RestOfList, restOf } from "../service/rest-of-list.ts";
import { storedListJson } from "../service/stored-list.ts";
import { MethodNotAllowed } from "./method-not-allowed.ts";
import { pruneToMask } from "./prune-to-mask.ts";
import { readQuery } from "./read-query.ts";
import { type Route, Routes } from "./routes.ts";

export interface RestRequest {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  /** The query without `?`. */
  readonly query: string;
  readonly contentType: string | undefined;
  /** Undefined if it is larger than the limit of the port. */
  readonly body: Buffer | undefined;
  readonly bearer: string | undefined;
}

export interface TranscoderOptions extends JsonReadOptions {
  /** The body for an empty message: none, or `{}`. */
  readonly emptyResponse: "nothing" | "object";
}

/** A REST request for which a route was found. */
export interface RestCall {
  readonly operation: Operation;
  /** @returns the JSON of the response, in parts for a large v1 list; empty for no body @throws ApiError */
  readonly run: (slot: CallSlot) => Promise<string | AsyncIterable<string>>;
}

type Properties = Record<string, unknown>;

/** Serves every method of the contract over REST, based on its annotations. */
export class Transcoder {
  readonly #routes: Routes;
  readonly #options: TranscoderOptions;

  constructor(operations: readonly Operation[], options: TranscoderOptions) {
    this.#routes = new Routes(operations);
    this.#options = options;
  }

  /** @throws ApiError 5 for an unknown path, MethodNotAllowed (12) if the path does not have the method */
  find(request: RestRequest): RestCall {
    const match = this.#routes.match(request.method, request.path);
    if (match.kind === "unknown") throw notFound("path", request.path);
    if (match.kind === "otherMethod") throw new MethodNotAllowed(request.method, match.allowed);
    const { route, variables } = match;
    return {
      operation: route.operation,
      run: async (slot) => {
        const call = await route.operation.authenticate(request.bearer);
        return this.#write(route.operation, await call(slot, () => this.#read(route, variables, request)));
      },
    };
  }

  /** The first segments of all paths, such as `iam`. */
  get firstSegments(): ReadonlySet<string> {
    return this.#routes.firstSegments;
  }

  /** Whether a path, without its query, has a method. */
  serves(httpMethod: string, path: string): boolean {
    return this.#routes.match(httpMethod, path).kind === "found";
  }

  #read(route: Route, variables: Readonly<Record<string, string>>, request: RestRequest): Message {
    const { input } = route.operation.method;
    if (request.body === undefined) throw bodyTooLarge();
    const { body, query } = request;
    const takesForms = route.body.kind === "parameters";
    const isForm = takesForms && (request.contentType?.startsWith("application/x-www-form-urlencoded") ?? false);
    const { message, present } =
      (takesForms && !isForm) || route.body.kind === "whole"
        ? readJson(input, parseBody(body), this.#options)
        : { message: create(input), present: [] };
    const bound = present.length === 0 ? route.bound : new Set([...route.bound, ...present]);
    const form = isForm ? new URLSearchParams(body.toString()) : [];
    if (query !== "" || isForm) readQuery(input, message, [...new URLSearchParams(query), ...form], bound);
    if (route.body.kind === "field") this.#readField(message, route, route.body, body);
    for (const [path, value] of Object.entries(variables)) setVariable(message, route, path, value);
    return message;
  }

  /** Reads the body into a field of the request. An update without a mask gets the fields of the body as its mask. */
  #readField(
    message: Message,
    route: Route,
    { field, message: desc }: Route["body"] & { kind: "field" },
    body: Buffer,
  ) {
    const properties = message as unknown as Properties;
    const maskField = route.httpMethod === "PATCH" ? maskFieldOf(route) : undefined;
    const mask = maskField === undefined ? undefined : (properties[maskField.localName] as FieldMask | undefined);
    const json = parseBody(body);
    const hasMask = mask !== undefined && mask.paths.length > 0;
    const read = readJson(desc, hasMask ? pruneToMask(desc, json, mask.paths) : json, this.#options);
    properties[field.localName] = read.message;
    if (maskField !== undefined && !hasMask)
      properties[maskField.localName] = create(FieldMaskSchema, { paths: [...read.present] });
  }

  #write({ method: { output } }: Operation, response: Message): string | AsyncIterable<string> {
    if (output.typeName === "google.protobuf.Empty") return this.#options.emptyResponse === "nothing" ? "" : "{}";
    const json = storedListJson(output, response) ?? JSON.stringify(toJsonObject(output, response));
    const rest = restOf(response);
    return rest === undefined ? json : listInParts(json, output, rest);
  }
}

/** The JSON of a list whose only field is `items`, with those of its rest. */
async function* listInParts(first: string, { field }: DescMessage, rest: RestOfList): AsyncGenerator<string> {
  const item = field["items"]?.message;
  if (item === undefined || !first.endsWith("]}")) throw new Error("only a list of items has a rest");
  try {
    yield first.slice(0, -"]}".length);
    for await (const items of rest) yield items.map((one) => `,${JSON.stringify(toJsonObject(item, one))}`).join("");
    yield "]}";
  } finally {
    // The client may have disconnected before the rest was begun.
    await rest.return();
  }
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw invalidArgument("body", "must be UTF-8");
  if (hasMoreValues(body, sizeLimits.values.value))
    throw invalidArgument("body", `must have at most ${sizeLimits.values.value} members of objects and items of lists`);
  const text = body.toString();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalidArgument("body", "must be JSON");
  }
  // JSON.parse keeps the last one, and another reader of the same body may keep the first.
  if (hasRepeatedMembers(text, json)) throw invalidArgument("body", "must not repeat a member of an object");
  return json;
}

function maskFieldOf({ operation }: Route): DescField | undefined {
  return operation.method.input.fields.find(({ message }) => message?.typeName === FieldMaskSchema.typeName);
}

/** @throws ApiError (3) if the body sets the same field to another value */
function setVariable(message: Message, route: Route, path: string, value: string): void {
  let target = message as unknown as Properties;
  let desc = route.operation.method.input;
  const segments = path.split(".");
  for (const segment of segments.slice(0, -1)) {
    const field = fieldsOf(desc).get(segment);
    if (field?.fieldKind !== "message") throw new Error(`${route.operation.name} has no field ${path}`);
    target[field.localName] ??= create(field.message);
    target = target[field.localName] as Properties;
    desc = field.message;
  }
  const field = fieldsOf(desc).get(segments.at(-1) ?? "");
  if (field === undefined) throw new Error(`${route.operation.name} has no field ${path}`);
  const inBody = target[field.localName];
  if (inBody !== "" && inBody !== value) throw invalidArgument(field.jsonName, "must be as in the path, or absent");
  target[field.localName] = value;
}
