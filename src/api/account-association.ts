import * as z from "zod";
import type { CustomResource } from "./custom-resource.ts";
import { linkedAccounts } from "./linked-accounts.ts";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import { statusSchema } from "./status.ts";
import { uid } from "./uid.ts";

const fixedGroup =
  "is immutable: an account association cannot be moved. Delete this AccountAssociation and create it for the other group";

export const accountAssociationSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group whose accounts these are. A group has at most one account association. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform whose accounts these are, for a group that is not managed as a Group object. A group has at most one account association. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("account association"),
    ...linkedAccounts,
    policy: policySchema("account association", {
      existing: "an account association of the group",
      found: "by its group",
    }),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  {
    rule: "has(self.amazon) || has(self.google) || has(self.azure) || has(self.github) || (has(self.policy) && self.policy.management == 'Observe')",
    message: "at least one of amazon, google, azure and github must be set, unless policy.management is Observe",
    holds: ({ amazon, google, azure, github, policy }) =>
      [amazon, google, azure, github].some((one) => one !== undefined) || policy.management === "Observe",
  },
  immutable("groupRef", `groupRef ${fixedGroup}`),
  immutable("groupUid", `groupUid ${fixedGroup}`),
).describe("Desired state of the account association.");

/** The accounts of a group at other providers. */
export type AccountAssociation = CustomResource<z.output<typeof accountAssociationSpecSchema>, "AccountAssociation">;

export const accountAssociationDefinition = {
  kind: "AccountAssociation",
  plural: "accountassociations",
  singular: "accountassociation",
  shortNames: ["massoc"],
  description:
    "AccountAssociation links a group on the Muster platform to accounts at cloud providers and to installations of GitHub Apps. A group has at most one. The accounts are managed as a whole: one that the spec does not name is removed. A Tenant must list the kind in spec.kinds, and each account.",
  scope: "Namespaced",
  specSchema: accountAssociationSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group whose accounts these are." },
  ],
  wideColumns: [
    nameColumn,
    { name: "AWS account", jsonPath: ".spec.amazon.account", description: "Account at Amazon Web Services." },
    { name: "Google project", jsonPath: ".spec.google.projectId", description: "Project at Google Cloud." },
    { name: "Azure tenant", jsonPath: ".spec.azure.tenantId", description: "Tenant at Microsoft Azure." },
  ],
} as const satisfies ResourceDefinition;
