import * as z from "zod";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { exactlyOneOfManaged, policySchema } from "./policy.ts";
import { allowedNamespaces, reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { immutable, withRules } from "./rule.ts";
import type { CustomResource } from "./custom-resource.ts";
import { statusSchema } from "./status.ts";
import { directlyBelow, uid } from "./uid.ts";

const fixedParent = "is immutable: a group cannot be moved. Delete this Group and create it under the other parent";

export const groupSpecSchema = withRules(
  z.object({
    parentRef: reference(
      "Group",
      "Reference to the parent Group. Exactly one of parentRef and parentUid must be set. Immutable.",
    ).exactOptional(),
    parentUid: uid(
      "UID of the parent group on the platform, for a parent that is not managed as a Group object: 40 hex digits, followed by '/' and 16 hex digits for each level below the root. Exactly one of parentRef and parentUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("group"),
    uid: uid(
      "UID of an existing group on the platform to manage instead of creating one. The group must be directly below the parent; a root group, which has none, can only be observed. Requires the Tenant's permission to adopt. Immutable.",
    ).exactOptional(),
    undeclared: z
      .enum(["Ignore", "Report", "Remove"])
      .default("Report")
      .describe(
        'What to do with role bindings and identities in this group that no object of this cluster declares. With "Report", the condition AccessDeclared, status.undeclared and an Event name them. With "Remove", the operator also removes them after they were seen in two resyncs, if the Tenant allows it. With "Ignore", only the Tenant reports them. Defaults to Report.',
      ),
    allowedNamespaces: allowedNamespaces("Group"),
    policy: policySchema("group"),
  }),
  exactlyOneOfManaged(["parentRef", "parentUid"]),
  {
    rule: "has(self.parentRef) || has(self.parentUid) || has(self.uid) || !has(self.policy) || self.policy.management != 'Observe'",
    message: "uid must be set if policy.management is Observe and the group has no parent",
    fieldPath: ".uid",
    holds: ({ parentRef, parentUid, uid: existing, policy }) =>
      policy.management !== "Observe" || parentRef !== undefined || parentUid !== undefined || existing !== undefined,
  },
  immutable("parentRef", `parentRef ${fixedParent}`),
  immutable("parentUid", `parentUid ${fixedParent}`),
  immutable(
    "uid",
    "uid is immutable: delete this Group (policy.deletion: Orphan keeps the group on the platform) and create another",
  ),
  directlyBelow("parentUid"),
).describe("Desired state of the group.");

export type GroupSpec = z.output<typeof groupSpecSchema>;

/** A group on the platform: a node of the tree that contains identities and role bindings. */
export type Group = CustomResource<GroupSpec, "Group">;

export const groupDefinition = {
  kind: "Group",
  plural: "groups",
  singular: "group",
  shortNames: ["mgroup"],
  description:
    "Group is a group on the Muster platform: a node of the tree that contains identities and role bindings.",
  scope: "Namespaced",
  specSchema: groupSpecSchema,
  statusSchema,
  columns: [{ name: "Parent", jsonPath: ".spec.parentRef.name", description: "Name of the parent Group." }],
  wideColumns: [nameColumn],
} as const satisfies ResourceDefinition;
