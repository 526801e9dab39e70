import { type DescField, getOption } from "@bufbuild/protobuf";
import { field_behavior, FieldBehavior } from "../gen/google/api/field_behavior_pb.ts";

/** The annotations `google.api.field_behavior` and `debug_redact` of a field in the contract. */
export interface Behavior {
  /** Set by the platform: ignored in a request body, rejected in a field mask. */
  readonly readOnly: boolean;
  /** Never in a response. */
  readonly writeOnly: boolean;
  /** Set on create and never changed. */
  readonly immutable: boolean;
  /** Required on create. */
  readonly required: boolean;
  /** Returned once or never. A client that sends back a resource as it read it sends this field empty, which changes nothing. */
  readonly secret: boolean;
}

const known = new WeakMap<DescField, Behavior>();

export function behaviorOf(field: DescField): Behavior {
  let behavior = known.get(field);
  if (behavior === undefined) {
    const values = getOption(field, field_behavior);
    behavior = {
      readOnly: values.includes(FieldBehavior.OUTPUT_ONLY),
      writeOnly: values.includes(FieldBehavior.INPUT_ONLY),
      immutable: values.includes(FieldBehavior.IMMUTABLE),
      required: values.includes(FieldBehavior.REQUIRED),
      secret: field.proto.options?.debugRedact ?? false,
    };
    known.set(field, behavior);
  }
  return behavior;
}
