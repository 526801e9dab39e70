import * as z from "zod";
import { grantPolicySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import type { CustomResource } from "./custom-resource.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import { roleReference } from "./role-reference.ts";
import { statusSchema } from "./status.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";
import { time } from "./timestamp.ts";

const fixedGrant = "is immutable: a changed grant is a different grant. Delete this RoleBinding and create another";

export const roleBindingSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group in which the role is granted. The grant includes all groups below it. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform in which the role is granted, for a group that is not managed as a Group object. The grant includes all groups below it. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    identityRef: reference(
      "Identity",
      "Reference to the Identity to which the role is granted. Exactly one of identityRef and identityUid must be set. Immutable.",
    ).exactOptional(),
    identityUid: uidInGroup(
      "UID of the identity on the platform to which the role is granted, for an identity that is not managed as an Identity object. Exactly one of identityRef and identityUid must be set. Immutable.",
    ).exactOptional(),
    roleRef: roleReference
      .exactOptional()
      .describe(
        "Role to grant: a built-in role by its name, or a Role object. The Tenant must permit a built-in role, and each capability of a Role. Exactly one of roleRef and roleUid must be set. Immutable.",
      ),
    roleUid: uid(
      "UID of the role to grant: a built-in role or a role of a group. The Tenant must list it, or permit each capability of the Role object that has it. Exactly one of roleRef and roleUid must be set. Immutable.",
    ).exactOptional(),
    uid: uidInGroup(
      "UID of an existing role binding on the platform to manage instead of creating one. The role binding must be directly in the group, and grant exactly this role to this identity. Requires the Tenant's permission to adopt. Immutable.",
    ).exactOptional(),
    expiresAt: time
      .exactOptional()
      .describe(
        "Time at which the grant ends, such as 2027-01-31T00:00:00Z. From then on the object is not Ready, and the role binding is deleted on the platform. A later time grants the role again. The time in force is in status.expiresAt.",
      ),
    policy: grantPolicySchema("role binding"),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  exactlyOneOf(["identityRef", "identityUid"]),
  exactlyOneOf(["roleRef", "roleUid"]),
  immutable("groupRef", `groupRef ${fixedGrant}`),
  immutable("groupUid", `groupUid ${fixedGrant}`),
  immutable("identityRef", `identityRef ${fixedGrant}`),
  immutable("identityUid", `identityUid ${fixedGrant}`),
  immutable("roleRef", `roleRef ${fixedGrant}`),
  immutable("roleUid", `roleUid ${fixedGrant}`),
  immutable("uid", `uid ${fixedGrant}`),
  directlyBelow("groupUid"),
).describe("Desired state of the role binding.");

export type RoleBindingSpec = z.output<typeof roleBindingSpecSchema>;

/** A role on the platform, granted to an identity in a group and all groups below it. */
export type RoleBinding = CustomResource<RoleBindingSpec, "RoleBinding">;

export const roleBindingDefinition = {
  kind: "RoleBinding",
  plural: "rolebindings",
  singular: "rolebinding",
  shortNames: ["mrb"],
  description:
    "RoleBinding is a grant on the Muster platform: an identity has a role in a group and in all groups below it. It is not the RoleBinding of Kubernetes RBAC.",
  scope: "Namespaced",
  specSchema: roleBindingSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group in which the role is granted." },
    {
      name: "Identity",
      jsonPath: ".spec.identityRef.name",
      description: "Name of the Identity to which it is granted.",
    },
    { name: "Role", jsonPath: ".spec.roleRef.name", description: "Name of the role that is granted." },
  ],
  wideColumns: [
    { name: "Identity UID", jsonPath: ".spec.identityUid", description: "UID of the identity, if the spec sets it." },
    { name: "Role UID", jsonPath: ".spec.roleUid", description: "UID of the role, if the spec sets it." },
    { name: "Expires", jsonPath: ".status.expiresAt", description: "Time at which the operator ends the grant." },
  ],
} as const satisfies ResourceDefinition;
