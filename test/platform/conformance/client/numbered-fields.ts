import { create, fromBinary, type Message, type UnknownField } from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A message as a client of another origin writes it: by the numbers of its fields, without any of this project's descriptors. */
export interface NumberedFields {
  readonly [number: number]: string | number | NumberedFields;
}

/** The bytes of a message. */
export function bytesOf(fields: NumberedFields): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    if (typeof value === "number") writer.tag(Number(number), WireType.Varint).int32(value);
    else if (typeof value === "string") writer.tag(Number(number), WireType.LengthDelimited).string(value);
    else writer.tag(Number(number), WireType.LengthDelimited).bytes(bytesOf(value));
  }
  return writer.finish();
}

/** A message of which every field is unknown. */
export const messageOf = (fields: NumberedFields) => fromBinary(EmptySchema, bytesOf(fields));

/** The fields of a message of which every field is unknown. */
export const fieldsOf = ({ $unknown = [] }: Message) => new Fields($unknown);

/** The fields of a message, by number. */
export class Fields {
  readonly #fields: readonly UnknownField[];

  constructor(fields: readonly UnknownField[]) {
    this.#fields = fields;
  }

  get numbers(): readonly number[] {
    return [...new Set(this.#fields.map(({ no }) => no))].toSorted((a, b) => a - b);
  }

  /** The value of a field that is a number; 0 if it is missing. */
  numberAt(number: number): number {
    return this.#reader(number)?.int32() ?? 0;
  }

  /** The value of a field that is a string; empty if it is missing. */
  textAt(number: number): string {
    return this.#reader(number)?.string() ?? "";
  }

  /** The values of all fields of a message that has only strings. */
  texts(): Readonly<Record<number, string>> {
    return Object.fromEntries(this.numbers.map((number) => [number, this.textAt(number)]));
  }

  /** The message that is the value of a field, or the first of its values; an empty one if it is missing. */
  messageAt(number: number): Fields {
    const bytes = this.#reader(number)?.bytes();
    return fieldsOf(bytes === undefined ? create(EmptySchema) : fromBinary(EmptySchema, bytes));
  }

  #reader(number: number): BinaryReader | undefined {
    const field = this.#fields.find(({ no }) => no === number);
    return field === undefined ? undefined : new BinaryReader(field.data);
  }
}
