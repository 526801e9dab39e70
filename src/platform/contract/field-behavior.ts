import { type DescField, getOption } from "@bufbuild/protobuf";
import { field_behavior, FieldBehavior } from "../gen/google/api/field_behavior_pb.ts";

/** What `google.api.field_behavior` and `debug_redact` in the contract say of a field. */
export interface Behavior {
  /** Set by the platform: ignored in a request's body, refused in a mask. */
  readonly readOnly: boolean;
  /** Never in an answer. */
  readonly writeOnly: boolean;
  /** Given on create, never changed. */
  readonly immutable: boolean;
  /** Needed on create. */
  readonly required: boolean;
  /** Shown once or never, so who sends back what they read has it empty: that changes nothing. */
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
