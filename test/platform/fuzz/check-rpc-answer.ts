import { type DescMessage, type DescMethod, fromBinary, fromJsonString, type Message } from "@bufbuild/protobuf";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { toJsonObject } from "#src/platform/json/write-json.ts";
import type { ApiDocument } from "./api-document.ts";
import type { StreamEnding } from "./http2-session.ts";
import type { RpcRequest } from "./rpc-request.ts";

/** Codes of gRPC by their names in Connect. */
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

/** Codes that say that the platform failed, and not its caller. */
const failures = new Set([2, 13, 14, 15]);

export interface RpcJudgement {
  /** Of gRPC, 0 for success; undefined where the call never became one. */
  readonly code: number | undefined;
  readonly mistakes: readonly string[];
}

/** What became of a call, and what is wrong with it. */
export function checkRpcAnswer(document: ApiDocument, request: RpcRequest, ending: StreamEnding): RpcJudgement {
  switch (ending.kind) {
    case "hang":
      return { code: undefined, mistakes: ["no answer within the time limit"] };
    case "closed":
      return { code: undefined, mistakes: request.isIntact ? [`no answer: ${ending.why}`] : [] };
    case "answer":
      break;
  }
  const body = unpacked(ending.body, ending.headers["content-encoding"]);
  const status = Number(ending.headers[":status"]);
  const type = ending.headers["content-type"] ?? "";
  if (type.startsWith("application/grpc")) return checkGrpc(document, request, ending, type);
  if (status === 200 && /^application\/(proto|json)$/.test(type)) {
    const read = () => messageOf(request.method.output, body, type.endsWith("json"));
    return { code: 0, mistakes: messageMistakes(document, request, read) };
  }
  if (status >= 500 && status !== 501 && status !== 504)
    return { code: undefined, mistakes: [`status ${status}: ${body.toString()}`] };
  if (!type.startsWith("application/json") || status < 400)
    return { code: undefined, mistakes: request.isIntact ? [`status ${status}, content-type "${type}"`] : [] };
  return connectError(body);
}

function connectError(body: Buffer): RpcJudgement {
  try {
    const { code, message } = JSON.parse(body.toString()) as { code?: string | number; message?: string };
    // A path that is no method of gRPC is one of REST.
    const number = typeof code === "number" ? code : codes[code ?? ""];
    if (number === undefined) return { code: undefined, mistakes: [`an error without a code: ${body.toString()}`] };
    return { code: number, mistakes: failureOf(number, message ?? "") };
  } catch {
    return { code: undefined, mistakes: [`an error that is no JSON: ${body.toString()}`] };
  }
}

function checkGrpc(
  document: ApiDocument,
  request: RpcRequest,
  { headers, trailers, body }: StreamEnding & { kind: "answer" },
  type: string,
): RpcJudgement {
  const frames = framesOf(body, headers["grpc-encoding"]);
  if (frames === undefined) return { code: undefined, mistakes: ["the answer's frames are broken"] };
  const inBody = frames.find(({ flags }) => (flags & 0x80) !== 0)?.payload.toString() ?? "";
  const webTrailers = Object.fromEntries(
    [...inBody.matchAll(/^([a-z-]+): ?(.*?)\r?$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
  const all: Readonly<Record<string, string>> = { ...headers, ...trailers, ...webTrailers };
  const code = all["grpc-status"] === undefined ? undefined : Number(all["grpc-status"]);
  if (code === undefined) return { code, mistakes: ["has no grpc-status"] };
  if (!(code >= 0 && code <= 16)) return { code, mistakes: [`grpc-status ${code}`] };
  if (code !== 0) return { code, mistakes: failureOf(code, all["grpc-message"] ?? "") };
  const [frame, ...others] = frames.filter(({ flags }) => (flags & 0x80) === 0);
  if (request.method.methodKind !== "unary") return { code, mistakes: [] };
  if (frame === undefined || others.length > 0)
    return { code, mistakes: [`success with ${others.length} further messages`] };
  return {
    code,
    mistakes: messageMistakes(document, request, () =>
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

/** A message must be one of the contract, and its JSON what the OpenAPI document says of the same method. */
function messageMistakes(document: ApiDocument, { method }: RpcRequest, read: () => Message): string[] {
  try {
    const message = read();
    if (method.output.typeName.startsWith("google.protobuf.")) return [];
    const operation = document.operations.find(({ id }) => id === operationIdOf(method));
    return operation?.mistakesOfAnswer?.(JSON.parse(JSON.stringify(toJsonObject(method.output, message)))) ?? [];
  } catch (error) {
    return [`is no ${method.output.typeName}: ${(error as Error).message}`];
  }
}

/** What the OpenAPI document calls a method. */
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
