import { type DescMethod, toBinary, toJsonString } from "@bufbuild/protobuf";
import { gzipSync } from "node:zlib";
import { flipped, mutateJsonText } from "./mutate-json.ts";
import type { Random } from "./random.ts";
import { randomMessage } from "./random-message.ts";
import type { Hints } from "./value-of-schema.ts";

/** A call over HTTP/2 as on the wire. Any part of it may be invalid. */
export interface RpcRequest {
  readonly method: DescMethod;
  readonly path: string;
  readonly protocol: "grpc" | "grpc-web" | "connect";
  /** Whether a client library could have sent it. */
  readonly isIntact: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A call of the method: half of them as a client library sends it, the others with changed bytes or headers. */
export function rpcRequest(method: DescMethod, bearer: string, hints: Hints, random: Random): RpcRequest {
  const message = randomMessage(method.input, random, hints);
  // Connect streams have a framing of their own, which is not fuzzed.
  const unary = method.methodKind === "unary";
  const protocol = random.pick(
    unary ? (["grpc", "grpc", "grpc-web", "connect"] as const) : (["grpc", "grpc-web"] as const),
  );
  const isJson = random.chance(0.2);
  // Some messages cannot be written in JSON; they are sent as binary.
  const json = isJson ? jsonOf(method, message) : undefined;
  let payload: Buffer = json === undefined ? Buffer.from(toBinary(method.input, message)) : Buffer.from(json);
  const isIntact = random.chance(0.5);
  if (!isIntact && random.chance(0.6)) payload = mutatePayload(payload, json !== undefined, random);
  const codec = json === undefined ? "proto" : "json";
  const body = protocol === "connect" ? payload : envelope(payload, 0);
  const request: RpcRequest = {
    method,
    path: `/${method.parent.typeName}/${method.name}`,
    protocol,
    isIntact,
    headers: {
      "content-type": protocol === "connect" ? `application/${codec}` : `application/${protocol}+${codec}`,
      ...(protocol === "connect" ? { "connect-protocol-version": "1" } : { te: "trailers" }),
      authorization: bearer,
    },
    body,
  };
  return isIntact ? request : mutateRequest(request, payload, random);
}

function jsonOf(method: DescMethod, message: Parameters<typeof toBinary>[1]): string | undefined {
  try {
    return toJsonString(method.input, message);
  } catch {
    return undefined;
  }
}

/** A message in its frame: flags, length, payload. */
function envelope(payload: Buffer, flags: number, length = payload.length): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(length >>> 0, 1);
  return Buffer.concat([head, payload]);
}

function mutatePayload(payload: Buffer, isJson: boolean, random: Random): Buffer {
  switch (random.int(0, 6)) {
    case 0:
      return flipped(payload, random);
    case 1:
      return payload.subarray(0, random.int(0, payload.length));
    case 2:
      return random.bytes(random.int(0, 200));
    case 3:
      return Buffer.concat([payload, random.bytes(random.int(1, 20))]);
    case 4:
      // Nested groups (wire type 3).
      return Buffer.alloc(random.pick([10, 1_000, 100_000]), 0x0b);
    case 5:
      // Invalid lengths, and varints without an end.
      return Buffer.from(
        random.pick([
          "0affffffff0f",
          "ffffffffffffffffffffff",
          "0a80808080808080808001",
          "0aff01",
          "08",
          "1a03c328a1",
          "00",
          "0f",
        ]),
        "hex",
      );
    default:
      return isJson ? mutateJsonText(payload.toString(), random) : Buffer.concat([payload, payload]);
  }
}

function mutateRequest(request: RpcRequest, payload: Buffer, random: Random): RpcRequest {
  const withHeaders = (more: Readonly<Record<string, string>>) => ({
    ...request,
    headers: { ...request.headers, ...more },
  });
  const encoding = request.protocol === "connect" ? "content-encoding" : "grpc-encoding";
  switch (random.int(0, 11)) {
    case 0:
      return { ...request, body: envelope(payload, random.pick([1, 2, 0x80, 0xff])) };
    case 1:
      return {
        ...request,
        body: envelope(payload, 0, payload.length + random.pick([-1, 1, 2 ** 31 - 1, -payload.length - 1, 2 ** 20])),
      };
    case 2:
      return { ...request, body: request.body.subarray(0, random.int(0, Math.min(6, request.body.length))) };
    case 3:
      return { ...request, body: Buffer.concat([request.body, request.body]) };
    case 4:
      return { ...withHeaders({ [encoding]: "gzip" }), body: compressed(request, gzipSync(payload)) };
    case 5:
      return {
        ...withHeaders({ [encoding]: random.pick(["gzip", "br", "deflate", "nonsense", "identity", ""]) }),
        body: compressed(request, payload),
      };
    case 6:
      // Small on the wire, too large when decompressed.
      return { ...withHeaders({ [encoding]: "gzip" }), body: compressed(request, bomb) };
    case 7:
      return withHeaders({
        "content-type": random.pick([
          "application/grpc",
          "application/grpc+nonsense",
          "application/json",
          "text/plain",
          "application/connect+proto",
          "application/proto",
          "application/grpc-web-text",
          "application/grpc; charset=x",
          "a/b",
        ]),
      });
    case 8:
      return withHeaders(
        random.pick<Record<string, string>>([
          { "grpc-timeout": "1n" },
          { "grpc-timeout": "0S" },
          { "grpc-timeout": "999999999H" },
          { "grpc-timeout": "-1S" },
          { "connect-timeout-ms": "x" },
          { "connect-timeout-ms": "0" },
          { "grpc-encoding": "gzip,br" },
          { "grpc-accept-encoding": "nonsense" },
          { "connect-protocol-version": "9" },
          { authorization: "Bearer" },
          { authorization: "x".repeat(9_000) },
        ]),
      );
    case 9:
      return {
        ...request,
        path:
          request.path +
          random.pick([
            "x",
            "/x",
            "?connect=v1&encoding=json&message=%7B%7D",
            "?message=%ff",
            "?base64=1&encoding=proto&message=!!!&connect=v1",
            "%00",
          ]),
      };
    case 10:
      return { ...request, body: Buffer.alloc(random.pick([1_048_576, 1_100_000]), 0) };
    default:
      return { ...request, body: Buffer.alloc(0) };
  }
}

function compressed({ protocol }: RpcRequest, payload: Buffer): Buffer {
  return protocol === "connect" ? payload : envelope(payload, 1);
}

const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
