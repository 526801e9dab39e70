import * as z from "zod";

/** Reconciling and Stalled are there only while they are True, as kstatus has it. */
export const conditionTypes = ["Ready", "Reconciling", "Stalled", "ReferencesResolved"] as const;
export type ConditionType = (typeof conditionTypes)[number];

export const reasons = [
  "Available",
  "Creating",
  "Updating",
  "Deleting",
  "Paused",
  "InvalidSpec",
  "ReferenceNotFound",
  "ReferenceNotReady",
  "ReferenceNotGranted",
  "ParentChanged",
  "NoTenant",
  "TenantDenied",
  "TokenUnavailable",
  "TokenExchangeFailed",
  "PermissionDenied",
  "Conflict",
  "ChildrenExist",
  "PreconditionFailed",
  "RateLimited",
  "PlatformUnavailable",
  "ExternalGone",
  "DriftDetected",
] as const;
export type Reason = (typeof reasons)[number];

export const conditionSchema = z
  .object({
    type: z
      .enum(conditionTypes)
      .describe(
        "What this is about. Ready sums up; Reconciling and Stalled are there only while True; ReferencesResolved says whether what the spec refers to was found.",
      ),
    status: z.enum(["True", "False", "Unknown"]).describe("Whether it is so."),
    observedGeneration: z
      .int()
      .min(0)
      .exactOptional()
      .describe("The metadata.generation that was judged. Older than the present one: not judged yet."),
    lastTransitionTime: z.iso.datetime().describe("When the status of this condition last changed."),
    reason: z.enum(reasons).describe("The cause in one word, for programs."),
    message: z
      .string()
      .max(32_768)
      .describe("The cause in one sentence, for people, with the mend where there is one."),
  })
  .describe("One finding about the object.");

/** One finding about an object, shaped as `metav1.Condition`. */
export type Condition = z.output<typeof conditionSchema>;
