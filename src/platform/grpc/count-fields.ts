import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];
/** The library reads no message that is nested deeper. */
const maximumDepth = 100;

/**
 * Whether a binary message has more fields than `maximum`: those of nested messages, items of lists and entries of maps
 * included. To read a message takes time for each field, much more than for each byte. Bytes that are not a valid message
 * get any result.
 */
export function hasMoreFields(desc: DescMessage, message: Uint8Array, maximum: number): boolean {
  // A packed value has at least one byte, and any other field two.
  if (message.length <= maximum) return false;
  const counter = new FieldCounter(message, maximum);
  counter.count(desc, 0, message.length, 1);
  return counter.left < 0;
}

class FieldCounter {
  /** How many more fields there may be. */
  left: number;
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array, maximum: number) {
    this.#bytes = bytes;
    this.left = maximum;
  }

  count({ fields }: Pick<DescMessage, "fields">, start: number, end: number, depth: number): void {
    const byNumber = new Map(fields.map((field) => [field.number, field]));
    this.#at = start;
    while (this.#at < end && this.left >= 0) {
      this.left -= 1;
      const tag = this.#varint();
      switch (tag & 7) {
        case varint:
          this.#varint();
          break;
        case fixed64:
          this.#at += 8;
          break;
        case fixed32:
          this.#at += 4;
          break;
        case lengthDelimited: {
          const length = this.#varint();
          const from = this.#at;
          const to = Math.min(from + length, end);
          this.#countPayload(byNumber.get(tag >>> 3), from, to, depth);
          this.#at = to;
          break;
        }
        // The beginning and the end of a group have no payload.
      }
    }
  }

  #countPayload(field: DescField | undefined, from: number, to: number, depth: number): void {
    if (field === undefined || depth === maximumDepth) return;
    if (field.message !== undefined && field.fieldKind !== "map") this.count(field.message, from, to, depth + 1);
    else if (field.fieldKind === "map") this.#countEntry(field, from, to, depth);
    else if (field.fieldKind === "list" && isPacked(field)) this.left -= to - from;
  }

  /** An entry of a map is a message with the fields 1, its key, and 2, its value. */
  #countEntry(field: DescField & { fieldKind: "map" }, from: number, to: number, depth: number): void {
    const value = { number: 2, fieldKind: "message", message: field.message } as unknown as DescField;
    this.count({ fields: field.message === undefined ? [] : [value] }, from, to, depth + 1);
  }

  /** The lower 32 bits of a number. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }
}

/** Whether several items of the list can be in one field. */
function isPacked(field: DescField & { fieldKind: "list" }): boolean {
  if (field.listKind === "enum") return true;
  return field.listKind === "scalar" && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES;
}
