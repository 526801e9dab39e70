import { type DescMessage, type DescMethod, fromBinary, fromJsonString, type Message } from "@bufbuild/protobuf";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { toJsonObject } from "#src/platform/json/write-json.ts";
import type { ApiDocument } from "./api-document.ts";
import type { StreamEnding } from "./http2-session.ts";
import type { RpcRequest } from "./rpc-request.ts";

/** gRPC codes by their names in Connect. */
const codes: Readonly<Record<string, number>> = {
  canceled: 1,
  unknown: 2,
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  already_exists: 6,
  permission_denied: 7,
  resource_exhausted: 8,
  failed_precondition: 9,
  aborted: 10,
  out_of_range: 11,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  data_loss: 15,
  unauthenticated: 16,
};

/** The codes of a failure of the platform: unknown, internal, unavailable and data loss. */
const failures = new Set([2, 13, 14, 15]);

export interface RpcVerdict {
  /** The gRPC code, 0 for success; undefined if the response does not have one. */
  readonly code: number | undefined;
  readonly violations: readonly string[];
}

/** Checks how a call ended. */
export function checkRpcResponse(document: ApiDocument, request: RpcRequest, ending: StreamEnding): RpcVerdict {
  switch (ending.kind) {
    case "hang":
      return { code: undefined, violations: ["no response within the time limit"] };
    case "closed":
      return { code: undefined, violations: request.isIntact ? [`no response: ${ending.why}`] : [] };
    case "response":
      break;
  }
  const body = unpacked(ending.body, ending.headers["content-encoding"]);
  const status = Number(ending.headers[":status"]);
  const type = ending.headers["content-type"] ?? "";
  if (type.startsWith("application/grpc")) return checkGrpc(document, request, ending, type);
  if (status === 200 && /^application\/(proto|json)$/.test(type)) {
    const read = () => messageOf(request.method.output, body, type.endsWith("json"));
    return { code: 0, violations: messageViolations(document, request, read) };
  }
  if (status >= 500 && status !== 501 && status !== 504)
    return { code: undefined, violations: [`status ${status}: ${body.toString()}`] };
  if (!type.startsWith("application/json") || status < 400)
    return { code: undefined, violations: request.isIntact ? [`status ${status}, content-type "${type}"`] : [] };
  return connectError(body);
}

function connectError(body: Buffer): RpcVerdict {
  try {
    const { code, message } = JSON.parse(body.toString()) as { code?: string | number; message?: string };
    // A path that is not a gRPC method gets the response of REST.
    const number = typeof code === "number" ? code : codes[code ?? ""];
    if (number === undefined) return { code: undefined, violations: [`error without a code: ${body.toString()}`] };
    return { code: number, violations: failureOf(number, message ?? "") };
  } catch {
    return { code: undefined, violations: [`error that is not JSON: ${body.toString()}`] };
  }
}

function checkGrpc(
  document: ApiDocument,
  request: RpcRequest,
  { headers, trailers, body }: StreamEnding & { kind: "response" },
  type: string,
): RpcVerdict {
  const frames = framesOf(body, headers["grpc-encoding"]);
  if (frames === undefined) return { code: undefined, violations: ["malformed frames"] };
  const inBody = frames.find(({ flags }) => (flags & 0x80) !== 0)?.payload.toString() ?? "";
  const webTrailers = Object.fromEntries(
    [...inBody.matchAll(/^([a-z-]+): ?(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const all: Readonly<Record<string, string>> = { ...headers, ...trailers, ...webTrailers };
  const code = all["grpc-status"] === undefined ? undefined : Number(all["grpc-status"]);
  if (code === undefined) return { code, violations: ["missing grpc-status"] };
  if (!(code >= 0 && code <= 16)) return { code, violations: [`invalid grpc-status ${code}`] };
  if (code !== 0) return { code, violations: failureOf(code, all["grpc-message"] ?? "") };
  const [frame, ...others] = frames.filter(({ flags }) => (flags & 0x80) === 0);
  if (request.method.methodKind !== "unary") return { code, violations: [] };
  if (frame === undefined || others.length > 0)
    return {
      code,
      violations: [`success with ${frame === undefined ? 0 : others.length + 1} messages instead of one`],
    };
  return {
    code,
    violations: messageViolations(document, request, () =>
      messageOf(request.method.output, frame.payload, type.includes("json")),
    ),
  };
}

function failureOf(code: number, message: string): string[] {
  return failures.has(code) ? [`code ${code}: ${decodeURIComponent(message)}`] : [];
}

function messageOf(desc: DescMessage, bytes: Buffer, isJson: boolean): Message {
  return isJson ? fromJsonString(desc, bytes.toString()) : fromBinary(desc, bytes);
}

/** The message must decode, and its JSON must match the schema of the same method in the OpenAPI document. */
function messageViolations(document: ApiDocument, { method }: RpcRequest, read: () => Message): string[] {
  try {
    const message = read();
    if (method.output.typeName.startsWith("google.protobuf.")) return [];
    const operation = document.operations.find(({ id }) => id === operationIdOf(method));
    return operation?.responseViolations?.(JSON.parse(JSON.stringify(toJsonObject(method.output, message)))) ?? [];
  } catch (error) {
    return [`not a valid ${method.output.typeName}: ${(error as Error).message}`];
  }
}

/** The id of a method in the OpenAPI document. */
export function operationIdOf({ parent, name }: DescMethod): string {
  return `${parent.name}_${name}`;
}

function unpacked(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === "gzip") return gunzipSync(bytes);
  return encoding === "br" ? brotliDecompressSync(bytes) : bytes;
}

interface Frame {
  readonly flags: number;
  readonly payload: Buffer;
}

function framesOf(body: Buffer, encoding: string | undefined): Frame[] | undefined {
  const frames: Frame[] = [];
  for (let at = 0; at < body.length; ) {
    if (body.length - at < 5) return undefined;
    const end = at + 5 + body.readUInt32BE(at + 1);
    if (body.length < end) return undefined;
    const [flags, payload] = [body[at] ?? 0, body.subarray(at + 5, end)];
    frames.push({ flags, payload: (flags & 1) === 0 ? payload : unpacked(payload, encoding) });
    at = end;
  }
  return frames;
}
