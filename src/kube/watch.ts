import type { WatchEvent } from "./api.ts";

/** The longest event that is accepted. An object in etcd has at most about 1.5 MiB. */
const maxEventBytes = 16 * 1024 * 1024;

const newline = 0x0a;

/** The stream of a watch is malformed. */
export class WatchStreamError extends Error {
  override readonly name = "WatchStreamError";
}

/**
 * Parses the body of a watch: one JSON document per line, which may be split anywhere into chunks. An incomplete last
 * line is ignored: its event is sent again when the watch continues.
 * @throws {WatchStreamError} if a line is not an event or longer than `maxBytes`.
 */
export async function* eventsOf(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number = maxEventBytes,
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
    if (pendingBytes > maxBytes) throw new WatchStreamError(`an event is longer than ${maxBytes} bytes`);
  }
}

const eventTypes: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

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
  if (typeof object !== "object" || object === null || !eventTypes.has(type)) return false;
  return type === "ERROR" || ("metadata" in object && typeof object.metadata === "object" && object.metadata !== null);
}
