import * as z from "zod";
import { conditionSchema, conditionTypes } from "./condition.ts";

/** Bounds that the API server holds a status to: longer texts and lists have to be cut before they are written. */
export const statusBounds = { text: 4096, message: 32_768, items: 64 } as const;

const uidText = z.string().max(statusBounds.text);
const text = z.string().max(statusBounds.text);

const driftSchema = z
  .object({
    field: text.describe("The field, as its path in the spec, such as description."),
    expected: text.describe("What the spec says."),
    actual: text.describe("What the platform has."),
  })
  .describe("One field that somebody else has changed on the platform.");

const fieldViolationSchema = z
  .object({
    field: text.describe("The field, as the platform calls it."),
    description: text.describe("What is wrong with it."),
  })
  .describe("One field that the platform does not accept.");

const preconditionViolationSchema = z
  .object({
    type: text.describe("The sort of the precondition, such as RESOURCE_NOT_EMPTY."),
    description: text.describe("What stands in the way."),
    subject: text.exactOptional().describe("What it is about, where the platform tells it."),
  })
  .describe("One precondition that does not hold.");

const errorSchema = z
  .object({
    code: text.describe("The code's name, such as INVALID_ARGUMENT."),
    reason: text.exactOptional().describe("The platform's own word for the cause, such as RESOURCE_NOT_EMPTY."),
    domain: text.exactOptional().describe("Whose word that is: the service that gave the reason."),
    message: z.string().max(statusBounds.message).describe("The platform's sentence."),
    fieldViolations: z
      .array(fieldViolationSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("The fields that the platform does not accept."),
    preconditionViolations: z
      .array(preconditionViolationSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("What has to be otherwise before the platform does it."),
    time: z.iso.datetime().describe("When the platform answered so."),
  })
  .describe("The platform's last error for this object, as data. Absent when the last answer was good.");

export const statusSchema = z
  .object({
    observedGeneration: z
      .int()
      .min(-1)
      .default(-1)
      .describe("The metadata.generation that this status is about; -1 until the operator has looked at the object."),
    uid: uidText.exactOptional().describe("The uid of the object on the platform, once it exists there."),
    parentUid: uidText.exactOptional().describe("The uid of the group in which it exists there."),
    lastSyncTime: z.iso
      .datetime()
      .exactOptional()
      .describe("When this status last changed because the platform was read or written."),
    lastHandledReconcileAt: text
      .exactOptional()
      .describe("The value of the annotation iam.muster.dev/reconcile-requested-at that was answered last."),
    drift: z
      .array(driftSchema)
      .max(statusBounds.items)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe("Fields that differ on the platform and are only reported (spec.policy.drift: Report)."),
    error: errorSchema.exactOptional(),
    conditions: z
      .array(conditionSchema)
      .max(conditionTypes.length)
      .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] })
      .exactOptional()
      .describe("Findings, one of each type. `kubectl wait --for=condition=Ready` reads them."),
  })
  .describe("What the operator found and did. Written by the operator alone.");

export type Status = z.output<typeof statusSchema>;
/** The platform's last error as data (AIP-193). */
export type StatusError = z.output<typeof errorSchema>;
/** One field that somebody else has changed on the platform. */
export type Drift = z.output<typeof driftSchema>;
