import type { IncomingHttpHeaders } from "node:http2";
import {
  create,
  createRegistry,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { AnySchema, EmptySchema } from "@bufbuild/protobuf/wkt";
import { ConnectError } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { file_google_rpc_error_details as errorDetails } from "#src/platform/gen/google/rpc/error_details_pb.ts";
import type { Api, Failure, Json, Method, Outcome, Query } from "./api.ts";
import { type CollectionName, collections } from "./collections.ts";
import { type Fields, fieldsOf, messageOf, type NumberedFields } from "./numbered-fields.ts";
import { rawCall } from "./raw-call.ts";
import { Reflection, type ReflectionVersion } from "./reflection.ts";
import type { Transcript } from "./transcript.ts";

const registry = createRegistry(errorDetails);

/** The time limit of one call, in milliseconds. */
const timeout = 30_000;

export type Metadata = Readonly<Record<string, string>>;

interface ChannelSettings {
  /** `http://…` or `https://…`. */
  readonly url: string;
  /** PEM certificates of the authorities to trust. */
  readonly ca: string | undefined;
  /** The first segment of every package name. */
  readonly vendor: string;
}

/** The connection that all gRPC callers share. */
export class GrpcChannel {
  readonly #sessions: Http2SessionManager;
  readonly #transport: ReturnType<typeof createGrpcTransport>;
  readonly #address: Pick<ChannelSettings, "url" | "ca">;
  readonly #vendor: string;

  constructor({ url, ca, vendor }: ChannelSettings) {
    this.#address = { url, ca };
    this.#sessions = new Http2SessionManager(url, {}, ca === undefined ? {} : { ca });
    this.#transport = createGrpcTransport({ baseUrl: url, sessionManager: this.#sessions });
    this.#vendor = vendor;
  }

  /** @throws {ConnectError} if the call fails */
  async unary(method: DescMethodUnary, input: Message, headers: Metadata, signal: AbortSignal) {
    return this.#transport.unary(this.#renamed(method), signal, timeout, headers, input);
  }

  reflection(version: ReflectionVersion, signal: AbortSignal): Reflection {
    return new Reflection(this.#transport, version, signal);
  }

  /** Makes a call on a connection of its own. @returns its headers and trailers */
  async raw(method: DescMethodUnary, input: Message, headers: Metadata, signal: AbortSignal) {
    const { parent, name } = this.#renamed(method);
    const path = `/${parent.typeName}/${name}`;
    return rawCall({ ...this.#address, path, message: toBinary(method.input, input), headers, signal });
  }

  close(): void {
    this.#sessions.abort();
  }

  /** The method under the vendor's package name. Messages on the wire do not contain the package. */
  #renamed(method: DescMethodUnary): DescMethodUnary {
    const typeName = method.parent.typeName.replace(/^muster\./, `${this.#vendor}.`);
    return { ...method, parent: { ...method.parent, typeName } };
  }
}

interface GrpcSettings {
  readonly channel: GrpcChannel;
  readonly token: string | undefined;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

/** A caller over gRPC. */
export class GrpcApi implements Api {
  readonly transport = "grpc";
  readonly #settings: GrpcSettings;

  constructor(settings: GrpcSettings) {
    this.#settings = settings;
  }

  /** A caller on the same connection with another token, or without one. */
  as(token: string | undefined): GrpcApi {
    return new GrpcApi({ ...this.#settings, token });
  }

  list(collection: CollectionName, query: Query = {}): Promise<Outcome> {
    return this.send(methodOf(collection, `List${collections[collection].plural}`), query);
  }

  get(collection: CollectionName, uid: string): Promise<Outcome> {
    return this.send(methodOf(collection, `Get${collections[collection].singular}`), { uid });
  }

  create(collection: CollectionName, parent: string, body: object): Promise<Outcome> {
    this.#settings.transcript.created.add(collection);
    const { singular } = collections[collection];
    return this.send(methodOf(collection, `Create${singular}`), { parent, [fieldOf(singular)]: body });
  }

  update(collection: CollectionName, uid: string, body: object, mask?: readonly string[]): Promise<Outcome> {
    const { singular } = collections[collection];
    return this.send(methodOf(collection, `Update${singular}`), {
      [fieldOf(singular)]: { ...body, uid },
      // The JSON form of a mask cannot express `*` or an invalid path; a list of paths can.
      ...(mask === undefined ? {} : { updateMask: { paths: mask } }),
    });
  }

  async delete(collection: CollectionName, uid: string): Promise<Outcome<Json | undefined>> {
    return this.send(methodOf(collection, `Delete${collections[collection].singular}`), { uid });
  }

  call({ rpc }: Method, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    return this.send(rpc, input);
  }

  /** @param input the request as JSON, except that an `updateMask` is `{ paths: […] }` */
  async send(method: DescMethodUnary, input: Readonly<Record<string, unknown>>): Promise<Outcome> {
    const { updateMask, ...rest } = input;
    const message = fromJson(method.input, rest as JsonValue);
    if (updateMask !== undefined) Object.assign(message, { updateMask: maskOf(method.input, updateMask) });
    return this.#exchange(method, message, this.#metadata, input);
  }

  get #metadata(): Metadata {
    const { token } = this.#settings;
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Server reflection, called without a token. */
  reflection(version: ReflectionVersion): Reflection {
    return this.#settings.channel.reflection(version, this.#settings.signal);
  }

  /** The headers and trailers of a call's response. */
  async raw(method: DescMethodUnary, input: JsonObject): Promise<IncomingHttpHeaders> {
    const { channel, signal } = this.#settings;
    return channel.raw(method, fromJson(method.input, input), this.#metadata, signal);
  }

  /** Sends a message with exactly this metadata. */
  sendMessage(method: DescMethodUnary, message: Message, headers: Metadata): Promise<Outcome> {
    return this.#exchange(method, message, headers, jsonOf(method.input, message));
  }

  /**
   * Sends a message that is given by the numbers of its fields.
   * @returns the response by the numbers of its fields
   * @throws {ConnectError} if the call fails
   */
  async sendNumbered(method: DescMethodUnary, input: NumberedFields): Promise<Fields> {
    const { channel, transcript, signal } = this.#settings;
    const untyped = { ...method, input: EmptySchema, output: EmptySchema } as DescMethodUnary;
    const { message } = await channel.unary(untyped, messageOf(input), this.#metadata, signal);
    const fields = fieldsOf(message);
    const call = `${method.parent.name}/${method.name}\n${JSON.stringify(input)}`;
    transcript.add(call, `the fields ${fields.numbers.join(", ")}`);
    return fields;
  }

  /** @param logged the request as it appears in the transcript */
  async #exchange(method: DescMethodUnary, message: Message, headers: Metadata, logged: unknown): Promise<Outcome> {
    const { channel, transcript, signal } = this.#settings;
    const call = `${method.parent.name}/${method.name}\n${JSON.stringify(logged)}`;
    try {
      const response = await channel.unary(method, message, headers, signal);
      const body = jsonOf(method.output, response.message) as unknown as Json;
      transcript.add(call, JSON.stringify(body));
      return { ok: true, body };
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const failure = { code: error.code, message: error.rawMessage, details: detailsOf(error) };
      transcript.add(call, JSON.stringify(failure));
      return { ok: false, failure };
    }
  }
}

/** A message in the contract's JSON form, which includes zero values. */
function jsonOf(desc: DescMessage, message: Message): JsonValue {
  return toJson(desc, message, { alwaysEmitImplicit: true, registry });
}

function maskOf(input: DescMessage, mask: unknown): Message {
  const field = input.fields.find(({ name }) => name === "update_mask");
  if (field?.fieldKind !== "message") throw new Error(`${input.typeName} has no update_mask`);
  return create(field.message, mask as Record<string, unknown>);
}

/** The typed payloads in their REST form: `@type` and the payload's fields. */
function detailsOf(error: ConnectError): Failure["details"] {
  const payloads: Record<string, unknown>[] = [];
  for (const detail of error.details) {
    if (!("type" in detail)) continue;
    const typeUrl = `type.googleapis.com/${detail.type}`;
    if (registry.getMessage(detail.type) === undefined) payloads.push({ "@type": typeUrl });
    else
      payloads.push(toJson(AnySchema, create(AnySchema, { typeUrl, value: detail.value }), { registry }) as JsonObject);
  }
  return payloads;
}

function methodOf(collection: CollectionName, name: string): DescMethodUnary {
  const { service } = collections[collection];
  const method = (service as DescService).methods.find((candidate) => candidate.name === name);
  if (method?.methodKind !== "unary") throw new Error(`${service.typeName} has no method ${name}`);
  return method as DescMethodUnary;
}

function fieldOf(singular: string): string {
  return singular.charAt(0).toLowerCase() + singular.slice(1);
}
