import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { toJsonObject } from "./write-json.ts";

/** The JSON of a message, the type of the message, and an estimate of the memory of the entry. */
interface ReadyJson {
  readonly schema: DescMessage;
  readonly json: string;
  readonly bytes: number;
}

export interface ReadyJsonBounds {
  /** The memory of all entries. */
  readonly bytes: number;
  /** The memory of one entry. */
  readonly entryBytes: number;
  /** The look-ups after which the entries that were not found by them leave. */
  readonly lookUps: number;
}

/** The memory of an entry apart from its texts. */
const overhead = 256;

/**
 * The JSON of stored messages, which takes ten times as long to make as to find again.
 *
 * *Guarantees*: the text is what `toJsonObject` writes of these bytes. The key is all of them, so an entry is never out of date: a change
 * of the resource is another key, and another contract is another process. It never has more entries than fit into its bounds.
 *
 * When it is full, nothing new enters until something has left. A cache that replaces what was not used for the longest time would
 * find nothing for those who read more than fits, again and again, and its garbage would cost more than it saves.
 */
export class ReadyJsonCache {
  readonly #bounds: ReadyJsonBounds;
  /** What was found in this period, or made in it. */
  #used = new Map<string, ReadyJson>();
  /** What has been found in the one before, but not yet in this one. */
  #earlier = new Map<string, ReadyJson>();
  #bytes = 0;
  #lookUps = 0;

  constructor(bounds: ReadyJsonBounds) {
    this.#bounds = bounds;
  }

  /** An estimate of the memory of the entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The JSON of a stored message. */
  of(schema: DescMessage, stored: Uint8Array): string {
    const key = Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString("latin1");
    const found = this.#find(key);
    if (found?.schema === schema) return found.json;
    const json = JSON.stringify(toJsonObject(schema, fromBinary(schema, stored)));
    const bytes = overhead + key.length + 2 * json.length;
    if (found === undefined && bytes <= this.#bounds.entryBytes && this.#bytes + bytes <= this.#bounds.bytes) {
      this.#used.set(key, { schema, json, bytes });
      this.#bytes += bytes;
    }
    return json;
  }

  #find(key: string): ReadyJson | undefined {
    if (this.#lookUps === this.#bounds.lookUps) this.#endPeriod();
    this.#lookUps += 1;
    const used = this.#used.get(key);
    if (used !== undefined) return used;
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) return undefined;
    this.#earlier.delete(key);
    this.#used.set(key, earlier);
    return earlier;
  }

  #endPeriod(): void {
    this.#lookUps = 0;
    for (const { bytes } of this.#earlier.values()) this.#bytes -= bytes;
    [this.#earlier, this.#used] = [this.#used, new Map()];
  }
}

const ofThisProcess = new ReadyJsonCache({
  bytes: 16 * 1024 * 1024,
  entryBytes: 32 * 1024,
  // Every entry of a table that is six times as large as what fits is looked up once.
  lookUps: 100_000,
});

/** The JSON of a stored message, as `toJsonObject` writes it. */
export function readyJson(schema: DescMessage, stored: Uint8Array): string {
  return ofThisProcess.of(schema, stored);
}
