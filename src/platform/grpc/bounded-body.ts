import type { DescMethod } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { hasMoreValues } from "../json/count-values.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { portLimits } from "../server/port-limits.ts";
import { hasMoreFields } from "./count-fields.ts";

/** As large as the frames in which HTTP/2 clients send a body. */
const pieceBytes = 16 * 1024;
/** The flag of an envelope whose message is compressed, and the bytes before the message. */
const [compressedFlag, envelopeBytes] = [1, 5];

/**
 * The body of a call without streams, in pieces: the library splits a piece into frames before it looks at the first one, and a
 * body of 1 MiB can have 200,000 empty frames, which would take 65 MB. It is checked when the library reads it, which is
 * after the caller was authenticated.
 * @param tooManyValues the error that takes the place of a body with more values than a request may have
 * @throws what `tooManyValues` returns
 */
export async function* boundedBody(
  body: Buffer,
  { input }: Pick<DescMethod, "input">,
  header: Headers,
  tooManyValues: () => Error,
): AsyncGenerator<Uint8Array> {
  const maximum = sizeLimits.values.value;
  const contentType = header.get("content-type") ?? "";
  const isJson = /json(;|$)/.test(contentType);
  for (const { bytes, encoding } of messagesOf(body, contentType, header)) {
    const message = await decompressed(bytes, encoding);
    if (message === undefined) continue;
    const hasTooMany = isJson ? hasMoreValues(message, maximum) : hasMoreFields(input, message, maximum);
    if (hasTooMany) throw tooManyValues();
  }
  if (body.length <= pieceBytes) yield body;
  else for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}

interface Encoded {
  readonly bytes: Buffer;
  /** How it is compressed; null if it is not. */
  readonly encoding: string | null;
}

/** The messages of a body that the library reads: it rejects a second one, but reads it before. */
function messagesOf(body: Buffer, contentType: string, header: Headers): Encoded[] {
  if (!contentType.startsWith("application/grpc")) return [{ bytes: body, encoding: header.get("content-encoding") }];
  const messages: Encoded[] = [];
  for (let at = 0; at + envelopeBytes <= body.length && messages.length < 2; ) {
    const end = at + envelopeBytes + body.readUInt32BE(at + 1);
    const isCompressed = ((body[at] ?? 0) & compressedFlag) !== 0;
    const encoding = isCompressed ? header.get("grpc-encoding") : null;
    messages.push({ bytes: body.subarray(at + envelopeBytes, end), encoding });
    at = end;
  }
  return messages;
}

const compressions: readonly Compression[] = [compressionGzip, compressionBrotli];

/** @returns undefined for a message that cannot be decompressed, which the library reports */
async function decompressed(bytes: Buffer, encoding: string | null): Promise<Buffer | undefined> {
  if (encoding === null || encoding === "identity") return bytes;
  const compression = compressions.find(({ name }) => name === encoding);
  try {
    const result = await compression?.decompress(bytes, portLimits.bodyBytes);
    return result && Buffer.from(result.buffer, result.byteOffset, result.byteLength);
  } catch {
    return undefined;
  }
}
