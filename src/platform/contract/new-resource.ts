import { clearField, clone, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { behaviorOf } from "./field-behavior.ts";

/**
 * Returns the resource that a Create makes of the one in its request: all fields that the client can set, so that a field which
 * the contract gets later is kept, too.
 * @param set what the platform sets; every other read-only field is absent
 */
export function newResource<D extends DescMessage>(
  desc: D,
  requested: MessageShape<D>,
  set: Partial<MessageShape<D>>,
): MessageShape<D> {
  const created = clone(desc, requested);
  for (const field of desc.fields) if (behaviorOf(field).readOnly) clearField(created, field);
  return Object.assign(created, set);
}
