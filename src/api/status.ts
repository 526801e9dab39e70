import * as z from "zod";
import { conditionSchema } from "./condition.ts";

/** Bounds that the API server enforces on a status. Longer texts and lists must be cut before they are written. */
export const statusBounds = { text: 4096, message: 32_768, items: 64 } as const;

/** More than this version writes, because a newer operator must be able to add a condition under this CRD. */
const maxConditions = 16;

const uidText = z.string().max(statusBounds.text);
const text = z.string().max(statusBounds.text);

const driftSchema = z
  .object({
    field: text.describe("Path of the field in the spec, such as description."),
    expected: text.describe("Value in the spec."),
    actual: text.describe("Value on the platform."),
  })
  .describe("One field whose value on the platform differs from the spec.");

const fieldViolationSchema = z
  .object({
    field: text.describe("Path of the field in the platform's API."),
    description: text.describe("Why the value is invalid."),
  })
  .describe("One field that the platform rejected.");

const preconditionViolationSchema = z
  .object({
    type: text.describe("Type of the precondition, such as RESOURCE_NOT_EMPTY."),
    description: text.describe("Why the precondition failed."),
    subject: text
      .exactOptional()
      .describe("Resource that the precondition is about, such as its uid. Absent if the platform did not name it."),
  })
  .describe("One precondition that failed.");

const errorSchema = z
  .object({
    code: text.describe("Name of the gRPC status code, such as INVALID_ARGUMENT."),
    reason: text.exactOptional().describe("The platform's identifier for the cause, such as RESOURCE_NOT_EMPTY."),
    domain: text.exactOptional().describe("Name of the service that defines the reason."),
    message: z.string().max(statusBounds.message).describe("The platform's error message."),
    fieldViolations: z
      .array(fieldViolationSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Fields that the platform rejected."),
    preconditionViolations: z
      .array(preconditionViolationSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("What must change before the request can succeed."),
    time: z.iso.datetime().describe("Time at which the platform first returned this error."),
  })
  .describe(
    "The platform's error response to the operator's last request for this object. Absent if that request succeeded.",
  );

export const statusSchema = z
  .object({
    observedGeneration: z
      .int()
      .min(-1)
      .default(-1)
      .describe("The metadata.generation that the operator observed last. -1 before the first reconcile."),
    uid: uidText.exactOptional().describe("UID of the resource on the platform. Absent until the resource exists."),
    parentUid: uidText
      .exactOptional()
      .describe("UID of the group on the platform that contains the resource. Absent until the resource exists."),
    lastSyncTime: z.iso
      .datetime()
      .exactOptional()
      .describe("Last time the status changed after the resource on the platform was read or written."),
    lastHandledReconcileAt: text
      .exactOptional()
      .describe(
        "Last value of the annotation iam.muster.dev/reconcile-requested-at for which a reconcile was completed.",
      ),
    drift: z
      .array(driftSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe(
        "Fields that were changed outside of Kubernetes and are not corrected, for example because spec.policy.drift is Report.",
      ),
    error: errorSchema.exactOptional(),
    conditions: z
      .array(conditionSchema)
      .max(maxConditions)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
      .exactOptional()
      .describe(
        "Current state of the object. Ready is the summary, and can be awaited with `kubectl wait --for=condition=Ready`.",
      ),
  })
  .describe("Most recently observed state of the resource. Written by the operator only.");

export type Status = z.output<typeof statusSchema>;
/** The platform's last error as data (AIP-193). */
export type StatusError = z.output<typeof errorSchema>;
/** One field whose value on the platform differs from the spec. */
export type Drift = z.output<typeof driftSchema>;
