import * as z from "zod";
import { awsIdentitySchema } from "./aws-identity.ts";
import { claimMatchSchema } from "./claim-match.ts";
import type { CustomResource } from "./custom-resource.ts";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { exactlyOneOfManaged, policySchema } from "./policy.ts";
import { allowedNamespaces, objectName, reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import { staticKeysSchema } from "./static-keys.ts";
import { exactText } from "./text.ts";
import { statusSchema } from "./status.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

const fixedGroup = "is immutable: an identity cannot be moved. Delete this Identity and create it in the other group";

export const identitySpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group that contains the identity. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform that contains the identity, for a group that is not managed as a Group object. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("identity"),
    claimMatch: claimMatchSchema.exactOptional(),
    serviceAccountRef: z
      .object({
        name: objectName.describe("Name of the service account."),
        audience: exactText
          .exactOptional()
          .describe(
            "Audience of the service account's tokens. Defaults to the operator's setting --service-account-audience, which is the host name of the token service by default.",
          ),
      })
      .exactOptional()
      .describe(
        "Service account that may assume the identity. It must be in this cluster and in the namespace of this object; issuer and subject are derived from it. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity must be set.",
      ),
    staticKeys: staticKeysSchema.exactOptional(),
    awsIdentity: awsIdentitySchema.exactOptional(),
    uid: uidInGroup(
      "UID of an existing identity on the platform to manage instead of creating one. The identity must be directly in the group. Requires the Tenant's permission to adopt. Immutable.",
    ).exactOptional(),
    allowedNamespaces: allowedNamespaces("Identity"),
    policy: policySchema("identity"),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  exactlyOneOfManaged(["claimMatch", "serviceAccountRef", "staticKeys", "awsIdentity"]),
  immutable("groupRef", `groupRef ${fixedGroup}`),
  immutable("groupUid", `groupUid ${fixedGroup}`),
  immutable(
    "uid",
    "uid is immutable: delete this Identity (policy.deletion: Orphan keeps the identity on the platform) and create another",
  ),
  directlyBelow("groupUid"),
).describe("Desired state of the identity.");

export type IdentitySpec = z.output<typeof identitySpecSchema>;

/** Who may assume an identity. Exactly one of the fields is set, or none if the identity is only observed. */
export type Authentication = Pick<IdentitySpec, "claimMatch" | "serviceAccountRef" | "staticKeys" | "awsIdentity">;

/** A principal on the platform. A client assumes it by exchanging a token that matches it. */
export type Identity = CustomResource<IdentitySpec, "Identity">;

export const identityDefinition = {
  kind: "Identity",
  plural: "identities",
  singular: "identity",
  shortNames: ["mid"],
  description:
    "Identity is a principal on the Muster platform. A client assumes it by exchanging a token that matches it, such as a service-account token, for a token of the platform.",
  scope: "Namespaced",
  specSchema: identitySpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group that contains the identity." },
  ],
  wideColumns: [
    nameColumn,
    {
      name: "Issuer",
      jsonPath: ".spec['claimMatch.issuer', 'claimMatch.issuerPattern', 'staticKeys.issuer']",
      description: "Issuer, or pattern of issuers, of the tokens that may assume the identity.",
    },
    {
      name: "Subject",
      jsonPath: ".spec['claimMatch.subject', 'claimMatch.subjectPattern', 'staticKeys.subject']",
      description: "Subject, or pattern of subjects, of the tokens that may assume the identity.",
    },
    {
      name: "Service account",
      jsonPath: ".spec.serviceAccountRef.name",
      description: "Service account that may assume the identity.",
    },
  ],
} as const satisfies ResourceDefinition;
