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

const exchangeSchema = z
  .object({
    url: text.describe("Address at which a token is exchanged."),
    platformUrl: text.describe("Address of the platform's API."),
    issuer: text.exactOptional().describe("Issuer of the token to exchange, or a pattern of issuers."),
    subject: text.exactOptional().describe("Subject of the token to exchange, or a pattern of subjects."),
    audience: text.exactOptional().describe("Audience that the token to exchange must have."),
    apiAudience: text.describe("Audience to request for the platform's token (parameter aud of the exchange)."),
  })
  .describe("What a client needs to assume this identity. Only on an Identity that exists on the platform.");

const undeclaredSchema = z
  .object({
    kind: text.describe("Kind of the resource, such as RoleBinding."),
    uid: uidText.describe("UID of the resource on the platform."),
    name: text.exactOptional().describe("Name of the resource on the platform, if it has one."),
    identityUid: uidText.exactOptional().describe("UID of the identity to which a role binding grants its role."),
    role: text
      .exactOptional()
      .describe("Name of the role that a role binding or a group invite grants, or its uid if it has none."),
    firstSeenTime: z.iso.datetime().describe("Time at which the operator first saw the resource."),
  })
  .describe("One resource that no object of this cluster declares or observes.");

const sentSecretSchema = z
  .object({
    uid: text.describe("UID of the Secret."),
    resourceVersion: text.describe("Version of the Secret."),
    key: text.exactOptional().describe("Key of the Secret whose value was sent."),
    updateTime: text.describe("When the platform last changed the resource, as of its response to that request."),
  })
  .describe(
    "Version of the Secret that was sent to the platform last. Only on an IdentityProvider. Absent if none was sent.",
  );

export const statusSchema = z
  .object({
    observedGeneration: z
      .int()
      .min(-1)
      .default(-1)
      .describe("The metadata.generation that the operator observed last. -1 before the first reconcile."),
    appliedGeneration: z
      .int()
      .min(0)
      .exactOptional()
      .describe(
        "The metadata.generation that the resource on the platform matched last. Present only while the object is not Ready: what differs from this generation was changed outside of Kubernetes.",
      ),
    uid: uidText.exactOptional().describe("UID of the resource on the platform. Absent until the resource exists."),
    parentUid: uidText
      .exactOptional()
      .describe("UID of the group on the platform that contains the resource. Absent until the resource exists."),
    identityUid: uidText
      .exactOptional()
      .describe("UID of the identity to which the role is granted. Only on a RoleBinding that exists on the platform."),
    roleUid: uidText
      .exactOptional()
      .describe(
        "UID of the role that is granted. Only on a RoleBinding, an IdentityProvider or a GroupInvite that exists on the platform.",
      ),
    createTime: text
      .exactOptional()
      .describe(
        "Time at which the platform created the resource. Only on an AccountAssociation: its uid is the group's, so a later one has the same uid.",
      ),
    expiresAt: text
      .exactOptional()
      .describe(
        "Time at which the operator ends the grant, as the last valid spec says it. It stays in force while the spec is invalid. Only on a RoleBinding that exists on the platform and expires.",
      ),
    secret: sentSecretSchema.exactOptional(),
    management: z
      .string()
      .max(63)
      .exactOptional()
      .describe(
        "How the object came to its resource: Created by the operator, Adopted because it existed before, or only Observed.",
      ),
    tenant: text.exactOptional().describe("Name of the Tenant that governs this object."),
    exchange: exchangeSchema.exactOptional(),
    undeclared: z
      .array(undeclaredSchema)
      .max(10)
      .meta({ "x-kubernetes-list-type": "atomic" })
      .exactOptional()
      .describe(
        "The first ten resources directly in this group that no object of this cluster declares or observes. Only on a Group.",
      ),
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
    decidedBy: text
      .exactOptional()
      .describe(
        "Name of the check that decided what the status says, as of its last write. The page docs/policy.md lists all checks in their order.",
      ),
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
/** Which version of a Secret was sent to the platform last. */
export type SentSecret = NonNullable<Status["secret"]>;
/** The platform's last error as data (AIP-193). */
export type StatusError = z.output<typeof errorSchema>;
/** What a client needs to assume an identity. */
export type Exchange = z.output<typeof exchangeSchema>;
/** One resource that no object declares or observes. */
export type Undeclared = z.output<typeof undeclaredSchema>;
/** One field whose value on the platform differs from the spec. */
export type Drift = z.output<typeof driftSchema>;
