import { create, type DescField, type DescMessage, isFieldSet, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type ApiError, invalidArgument } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";

const { value: maximumBytes } = sizeLimits.resource;

export function isTooLarge(body: Uint8Array): boolean {
  return body.length > maximumBytes;
}

/** The error for a resource that is too large, which names its largest field. */
export function tooLarge<D extends DescMessage>(desc: D, type: string, message: MessageShape<D>): ApiError {
  const [largest] = desc.fields
    .filter((field) => isFieldSet(message, field))
    .map((field) => ({ field, bytes: bytesOf(desc, message, field) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return invalidArgument(
    largest?.field.jsonName ?? "body",
    `the ${type} must have at most ${maximumBytes / 1024} KiB; this field has ${Math.ceil((largest?.bytes ?? 0) / 1024)} KiB`,
  );
}

function bytesOf<D extends DescMessage>(desc: D, message: MessageShape<D>, { localName, oneof }: DescField): number {
  const name = oneof?.localName ?? localName;
  const only = create(desc) as Record<string, unknown>;
  only[name] = (message as Readonly<Record<string, unknown>>)[name];
  return toBinary(desc, only as MessageShape<D>).length;
}
