import * as z from "zod";
import type { CustomResource } from "./custom-resource.ts";
import { issuePolicySchema } from "./policy.ts";
import { objectName, reference } from "./reference.ts";
import type { ResourceDefinition } from "./resource-definition.ts";
import { roleReference } from "./role-reference.ts";
import { exactlyOneOf, immutable, matches, withRules } from "./rule.ts";
import { statusSchema } from "./status.ts";
import { time } from "./timestamp.ts";
import { uid } from "./uid.ts";

const fixed =
  "is immutable: an invite is never changed. Delete this GroupInvite and create another, with another Secret";

export const groupInviteSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "Reference to the Group that people join with the invite. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "UID of the group on the platform that people join with the invite, for a group that is not managed as a Group object. Exactly one of groupRef and groupUid must be set. Immutable.",
    ).exactOptional(),
    roleRef: roleReference
      .exactOptional()
      .describe(
        "Role in the group: a built-in role by its name, or a Role object. Anyone who holds the code receives it. The Tenant must permit it, as for a RoleBinding. Exactly one of roleRef and roleUid must be set. Immutable.",
      ),
    roleUid: uid(
      "UID of the role in the group: a built-in role or a role of a group. Anyone who holds the code receives it. The Tenant must permit it, as for a RoleBinding. Exactly one of roleRef and roleUid must be set. Immutable.",
    ).exactOptional(),
    email: withRules(
      z.string().max(254),
      matches(/^[^\s@]+@[^\s@]+$/, "an e-mail address must have one '@', and no spaces"),
    )
      .exactOptional()
      .describe(
        "E-mail address, verified by the identity provider, of the person that the invite is for. If absent, anyone who holds the code can redeem it. Immutable.",
      ),
    singleUse: z
      .boolean()
      .default(true)
      .describe("Whether the invite ends when it is redeemed for the first time. Defaults to true. Immutable."),
    expiresAt: time.describe(
      "Time at which the invite ends, such as 2027-01-31T00:00:00Z. Roles that people received with it before remain. The platform may limit how far away it can be. Immutable.",
    ),
    secretRef: z
      .object({ name: objectName.describe("Name of the Secret. It must be in the namespace of this object.") })
      .describe(
        "Secret into which the operator writes the code, as code, and the UID of the invite, as uid. It must exist and be empty (kubectl create secret generic NAME), and no other object may name it. The operator may write it only if a Role of Kubernetes RBAC names it; the condition Ready prints the commands that grant that. Immutable.",
      ),
    policy: issuePolicySchema(),
  }),
  exactlyOneOf(["groupRef", "groupUid"]),
  exactlyOneOf(["roleRef", "roleUid"]),
  immutable("groupRef", `groupRef ${fixed}`),
  immutable("groupUid", `groupUid ${fixed}`),
  immutable("roleRef", `roleRef ${fixed}`),
  immutable("roleUid", `roleUid ${fixed}`),
  immutable("email", `email ${fixed}`),
  immutable("singleUse", `singleUse ${fixed}`),
  immutable("expiresAt", `expiresAt ${fixed}`),
  immutable("secretRef", `secretRef ${fixed}`),
).describe("Desired state of the invite.");

/** A code with which people join a group in a role. */
export type GroupInvite = CustomResource<z.output<typeof groupInviteSpecSchema>, "GroupInvite">;

export const groupInviteDefinition = {
  kind: "GroupInvite",
  plural: "groupinvites",
  singular: "groupinvite",
  shortNames: ["minvite"],
  description:
    "GroupInvite is an invite on the Muster platform: anyone who logs in with its code receives a role in a group and in all groups below it. The code is written into a Secret, once. An invite that was redeemed, deleted or has expired is never created again. A Tenant must list the kind in spec.kinds.",
  scope: "Namespaced",
  specSchema: groupInviteSpecSchema,
  statusSchema,
  columns: [
    { name: "Group", jsonPath: ".spec.groupRef.name", description: "Name of the Group that people join." },
    { name: "Role", jsonPath: ".spec.roleRef.name", description: "Name of the role that they receive." },
    { name: "Secret", jsonPath: ".spec.secretRef.name", description: "Name of the Secret with the code." },
  ],
  wideColumns: [
    { name: "Expires", jsonPath: ".spec.expiresAt", description: "Time at which the invite ends." },
    { name: "Email", jsonPath: ".spec.email", description: "E-mail address of the person that the invite is for." },
  ],
} as const satisfies ResourceDefinition;
