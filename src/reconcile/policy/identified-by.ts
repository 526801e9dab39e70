import { type Part, part, type Phase } from "./check.ts";
import type { DecisionInput } from "./decision-input.ts";
import type { IssueInput } from "./issued.ts";

/** What is known of a decision about an object whose resource is identified in one of these ways. */
interface Inputs {
  readonly marker: DecisionInput;
  readonly fields: DecisionInput;
  readonly secret: IssueInput;
}

/** The conditions of such parts, which complete "If …". */
export const conditions: Readonly<Record<keyof Inputs, string>> = {
  marker: "resources of the kind have markers",
  fields: "resources of the kind are what they grant",
  secret: "resources of the kind have codes",
};

/** A part of a phase for the kinds whose resources are identified so. */
export function identifiedBy<By extends keyof Inputs, Input extends DecisionInput>(
  by: By,
  phase: Phase<NoInfer<Input> & Inputs[By]>,
): Part<Input> {
  const enter = (input: Input) => (input.kind.identification.by === by ? (input as Input & Inputs[By]) : undefined);
  return part(conditions[by], enter, phase);
}
