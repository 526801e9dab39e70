import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { addAbortSignal, type Readable } from "node:stream";

/** A text is longer than its reader permits. */
export class TooLong extends Error {
  override readonly name = "TooLong";

  constructor(maxBytes: number) {
    super(`it is larger than ${maxBytes >= 2 ** 20 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes / 2 ** 10} KiB`}`);
  }
}

const chunkBytes = 64 * 2 ** 10;
/** A bundle of all public certificate authorities has a quarter of a mebibyte. */
const defaultBytes = 4 * 1024 * 1024;

export interface TextLimits {
  /** Absent: 4 MiB, more than any file with settings, keys, certificates or a token has. */
  readonly maxBytes?: number;
  /** Ends the wait for somebody who writes into a pipe. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The text of a file, a pipe or a device, which may have no end.
 * @throws {TooLong} @throws {NodeJS.ErrnoException} if it cannot be read
 */
export async function readText(path: string, limits: TextLimits = {}): Promise<string> {
  // Opening a named pipe would otherwise wait for its writer in a thread, for which even the end of the process waits.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const isPipe = fstatSync(file).isFIFO();
  return readStream(isPipe ? new Socket({ fd: file, writable: false }) : createReadStream("", { fd: file }), limits);
}

/**
 * The text of a file, at once: for small files of this machine.
 * @param source a path, or a file that is open, such as 0 for standard input
 * @throws {TooLong} @throws {NodeJS.ErrnoException} if it cannot be read
 */
export function readTextSync(
  source: string | number,
  { maxBytes = defaultBytes }: Pick<TextLimits, "maxBytes"> = {},
): string {
  const file = typeof source === "number" ? source : openSync(source, "r");
  try {
    const chunks: Buffer[] = [];
    for (let left = maxBytes; ; ) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(file, chunk);
      if (bytes === 0) return Buffer.concat(chunks).toString("utf8");
      chunks.push(chunk.subarray(0, bytes));
      if ((left -= bytes) < 0) throw new TooLong(maxBytes);
    }
  } finally {
    if (file !== source) closeSync(file);
  }
}

/** The text of a stream, such as standard input. @throws {TooLong} */
export async function readStream(
  stream: NodeJS.ReadableStream,
  { maxBytes = defaultBytes, signal }: TextLimits = {},
): Promise<string> {
  if (signal !== undefined) addAbortSignal(signal, stream as Readable);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > maxBytes) throw new TooLong(maxBytes);
      chunks.push(part);
    }
  } catch (error) {
    throw signal?.aborted === true ? signal.reason : error;
  }
  return Buffer.concat(chunks).toString("utf8");
}
