import { type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type Duration, DurationSchema, type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { create } from "@bufbuild/protobuf";
import { isValueOf } from "../contract/open-enum.ts";
import { invalidArgument } from "../errors/api-error.ts";

/** The scalar types that the contract uses. */
type ScalarName = "STRING" | "BOOL" | "INT32" | "INT64";

/** Reads a scalar from JSON or from the text of a query parameter. @throws ApiError (3) on `path` */
export function readScalar(type: ScalarType, json: unknown, path: string): string | boolean | number | bigint {
  switch (ScalarType[type] as ScalarName) {
    case "STRING":
      if (typeof json !== "string") throw invalidArgument(path, "must be a string");
      // A lone surrogate cannot be encoded as UTF-8, so it could be neither stored nor sent.
      if (!json.isWellFormed()) throw invalidArgument(path, "must be well-formed Unicode");
      return json;
    case "BOOL":
      if (typeof json !== "boolean") throw invalidArgument(path, "must be true or false");
      return json;
    case "INT32":
      return Number(readInteger(json, path, 31n));
    case "INT64":
      return readInteger(json, path, 63n);
    default:
      throw new Error(`the contract has no field of scalar type ${ScalarType[type]}`);
  }
}

function readInteger(json: unknown, path: string, bits: bigint): bigint {
  const text = typeof json === "number" && Number.isSafeInteger(json) ? json.toString() : json;
  if (typeof text !== "string" || !/^-?\d{1,20}$/.test(text)) throw invalidArgument(path, "must be an integer");
  const value = BigInt(text);
  if (value < -(1n << bits) || value >= 1n << bits)
    throw invalidArgument(path, `must be in the range of a ${bits + 1n}-bit integer`);
  return value;
}

/** Reads an enum value by name or by number, as protobuf JSON allows. @throws ApiError (3) on `path` */
export function readEnum(desc: DescEnum, json: unknown, path: string): number {
  const named = desc.values.find(({ name, number }) => name === json || number.toString() === json);
  if (named !== undefined) return named.number;
  const number = typeof json === "string" && /^[1-9]\d{0,9}$/.test(json) ? Number(json) : json;
  if (typeof number !== "number" || number >= 2 ** 31 || !isValueOf(desc, number))
    throw invalidArgument(path, `must be one of ${namesOf(desc)}`);
  return number;
}

function namesOf(desc: DescEnum): string {
  const names = desc.values.filter(({ number }) => number !== 0).map(({ name }) => name);
  return names.length > 8 ? `${names.slice(0, 8).join(", ")}, …` : names.join(", ");
}

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/i;

/** Reads an RFC 3339 timestamp with a precision of milliseconds. @throws ApiError (3) on `path` */
export function readTimestamp(json: unknown, path: string): Timestamp {
  const milliseconds = typeof json === "string" && rfc3339.test(json) ? Date.parse(json) : Number.NaN;
  if (Number.isNaN(milliseconds))
    throw invalidArgument(path, 'must be an RFC 3339 timestamp such as "2026-01-31T12:00:00.000Z"');
  return timestampFromMs(milliseconds);
}

/** @throws ApiError (3) on `path` */
export function readDuration(json: unknown, path: string): Duration {
  const match = typeof json === "string" ? /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(json) : null;
  if (match === null) throw invalidArgument(path, 'must be a duration in seconds such as "3600s"');
  const sign = match[1] === "-" ? -1 : 1;
  return create(DurationSchema, {
    seconds: BigInt(sign) * BigInt(match[2] ?? "0"),
    nanos: sign * Number((match[3] ?? "").padEnd(9, "0")),
  });
}
