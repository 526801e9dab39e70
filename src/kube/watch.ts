import type { WatchEvent } from "./api.ts";

/** An event longer than this is no event: objects are at most about 1.5 MiB in etcd. */
export const maxLineBytes = 16 * 1024 * 1024;

const newline = 0x0a;

/** The stream of a watch cannot be understood. */
export class WatchStreamError extends Error {
  override readonly name = "WatchStreamError";
}

/**
 * The events in the body of a watch: one JSON document a line, however the bytes are cut. An end in the middle of a line
 * is an end: what was cut off comes again when the watch resumes.
 * @throws {WatchStreamError} on a line that is no event, or is too long.
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  limit: number = maxLineBytes,
): AsyncGenerator<WatchEvent> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const bytes of body) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      pending.push(chunk.subarray(start, end));
      const line = pending.length === 1 ? (pending[0] as Buffer) : Buffer.concat(pending);
      pending = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.length > 0) yield parseEvent(line.toString("utf8"));
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > limit) throw new WatchStreamError(`an event is longer than ${limit} bytes`);
  }
}

const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function parseEvent(line: string): WatchEvent {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch (error) {
    throw new WatchStreamError("a line of the watch is not JSON", { cause: error });
  }
  if (!isEvent(event)) throw new WatchStreamError("a line of the watch is not an event");
  return event;
}

function isEvent(value: unknown): value is WatchEvent {
  if (typeof value !== "object" || value === null || !("type" in value) || !("object" in value)) return false;
  const { type, object } = value;
  if (typeof object !== "object" || object === null || !types.has(type)) return false;
  return type === "ERROR" || ("metadata" in object && typeof object.metadata === "object" && object.metadata !== null);
}
