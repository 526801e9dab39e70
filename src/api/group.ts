import * as z from "zod";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import type { CustomResource } from "./custom-resource.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

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
    uid: uidInGroup(
      "UID of an existing group on the platform to manage instead of creating one. The group must be directly below the parent. Immutable.",
    ).exactOptional(),
    policy: policySchema("Never", {
      existing: "a group with this name below the same parent",
      ifExists: "manages the existing group, if there is exactly one",
    }),
  }),
  exactlyOneOf(["parentRef", "parentUid"]),
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
  specSchema: groupSpecSchema,
  columns: [{ name: "Parent", jsonPath: ".spec.parentRef.name", description: "Name of the parent Group." }],
  wideColumns: [nameColumn],
} as const satisfies ResourceDefinition;
