import * as z from "zod";

/** The types of conditions that this version writes, each with what it means while it is True. */
export const conditionTypes = {
  Ready: "The summary: the resource exists on the platform and matches the spec.",
  Reconciling: "The operator is waiting or retrying. Present only while True, as kstatus expects.",
  Stalled: "The operator cannot make progress until something changes. Present only while True, as kstatus expects.",
  AccessDeclared:
    "Objects of this cluster declare everything that lies directly in the group. Only on a Group. False names how many resources nobody declared.",
  ReferencesResolved: "Every reference in the spec was resolved to a uid on the platform.",
} as const;
export type ConditionType = keyof typeof conditionTypes;

// Patterns, as in metav1.Condition, and not enums: an operator that is newer than the CRD must be able to write its status.
const typePattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$/;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

export const conditionSchema = z
  .object({
    type: z
      .string()
      .max(316)
      .regex(typePattern)
      .describe(
        "Type of condition in CamelCase or in foo.example.com/CamelCase. Ready is the summary. Reconciling and Stalled are present only while True. ReferencesResolved reports whether the references in the spec were resolved.",
      ),
    status: z.enum(["True", "False", "Unknown"]).describe("Status of the condition: True, False or Unknown."),
    observedGeneration: z
      .int()
      .min(0)
      .exactOptional()
      .describe(
        "The metadata.generation that the condition was set for. If it is less than metadata.generation, the condition is out of date.",
      ),
    lastTransitionTime: z.iso.datetime().describe("Last time the condition changed from one status to another."),
    reason: z
      .string()
      .min(1)
      .max(1024)
      .regex(reasonPattern)
      .describe(
        "CamelCase identifier of the cause, for programs. The reference documentation lists each reason with its fix.",
      ),
    message: z.string().max(32_768).describe("Human-readable explanation, with the fix if there is one."),
  })
  .describe("One aspect of the current state of this object.");

/**
 * A condition as read from the API server, with the shape of `metav1.Condition`. Another version of the operator may
 * have written it, so its type and reason can be unknown here.
 */
export type Condition = z.output<typeof conditionSchema>;

/** The condition `Ready` of an object with conditions, or of a change of its status. */
export function readyCondition({
  status,
}: {
  readonly status?: { readonly conditions?: readonly Condition[] | null | undefined } | undefined;
}): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}
