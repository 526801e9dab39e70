import * as z from "zod";
import type { CustomResource } from "./custom-resource.ts";
import { nameAndDescription, nameColumn } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { allowedNamespaces, reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, matches, withRules } from "./rule.ts";
import { statusSchema } from "./status.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

/** The name of a capability as the platform's API has it. Which capabilities there are is for the platform to say. */
const capability = withRules(
  z.string().max(128),
  matches(
    /^CAP_[A-Z0-9]+(_[A-Z0-9]+)*$/,
    "must be the name of a capability in the platform's API, such as CAP_REPO_LIST; a wildcard is not one",
  ),
);

/** A list of capabilities, at least one. */
function capabilities(description: string) {
  return z
    .array(capability.describe("Name of a capability, such as CAP_REPO_LIST."))
    .min(1)
    .max(256)
    .meta({ "x-kubernetes-list-type": "set" })
    .describe(description);
}

const fixedGroup = "is immutable: a role cannot be moved. Delete this Role and create it in the other group";

export const roleSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group that contains the role. The role can be bound there and in the groups below. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform that contains the role, for a group that is not managed as a Group object. The role can be bound there and in the groups below. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("role"),
    capabilities: capabilities(
      "What the role allows: names of capabilities as in the platform's API, such as CAP_REPO_LIST. Each must be one of a role in spec.roles of the Tenant, not counting roles that Role objects manage. To change them changes what everybody may do to whom the role is bound. Required, unless policy.management is Observe.",
    ).exactOptional(),
    uid: uidInGroup(
      "UID of an existing role on the platform to manage instead of creating one. The role must be directly in the group. Requires the Tenant's permission to adopt. Immutable.",
    ).exactOptional(),
    allowedNamespaces: allowedNamespaces("Role"),
    policy: policySchema("role"),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  {
    rule: "has(self.capabilities) || (has(self.policy) && self.policy.management == 'Observe')",
    message: "capabilities must be set, unless policy.management is Observe",
    fieldPath: ".capabilities",
    holds: ({ capabilities: listed, policy }) => listed !== undefined || policy.management === "Observe",
  },
  immutable("groupRef", `groupRef ${fixedGroup}`),
  immutable("groupUid", `groupUid ${fixedGroup}`),
  immutable(
    "uid",
    "uid is immutable: delete this Role (policy.deletion: Orphan keeps the role on the platform) and create another",
  ),
  directlyBelow("groupUid"),
).describe("Desired state of the role.");

export type RoleSpec = z.output<typeof roleSpecSchema>;

/** A role of a group on the platform: a set of capabilities that role bindings grant. */
export type Role = CustomResource<RoleSpec, "Role">;

export const roleDefinition = {
  kind: "Role",
  plural: "roles",
  singular: "role",
  shortNames: ["mrole"],
  description:
    "Role is a role of a group on the Muster platform: a set of capabilities that RoleBindings grant in the group and in the groups below it. It is not the Role of Kubernetes RBAC.",
  scope: "Namespaced",
  specSchema: roleSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group that contains the role." },
  ],
  wideColumns: [nameColumn, { name: "Capabilities", jsonPath: ".spec.capabilities", description: "What it allows." }],
} as const satisfies ResourceDefinition;
