import * as z from "zod";
import { policySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import type { CustomResource } from "./custom-resource.ts";
import { exactlyOneOf, immutable, matches, withRules } from "./rule.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

const fixedGrant = "cannot be changed: a changed grant is another grant. Delete this RoleBinding and create a new one";

export const roleBindingSpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "The Group in which, and below which, the role is granted. Exactly one of groupRef and groupUid is set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "The uid of the group in which, and below which, the role is granted. Exactly one of groupRef and groupUid is set. Immutable.",
    ).exactOptional(),
    identityRef: reference(
      "Identity",
      "The Identity that gets the role. Exactly one of identityRef and identityUid is set. Immutable.",
    ).exactOptional(),
    identityUid: uidInGroup(
      "The uid of the identity that gets the role. Exactly one of identityRef and identityUid is set. Immutable.",
    ).exactOptional(),
    roleRef: z
      .object({
        name: withRules(
          z.string().max(512),
          matches(
            /^[a-z0-9 ._-]+$/,
            "use only lowercase letters, digits, spaces and . _ - in a role's name, at least one",
          ),
        ).describe("The name of a built-in role, such as viewer, editor or registry.pull."),
      })
      .exactOptional()
      .describe("The built-in role that is granted. Exactly one of roleRef and roleUid is set. Immutable."),
    roleUid: uid(
      "The uid of the role that is granted: a built-in one, or one of a group's own. Exactly one of roleRef and roleUid is set. Immutable.",
    ).exactOptional(),
    uid: uidInGroup(
      "The uid of an existing role binding to manage instead of creating one. It must be directly below the group. Immutable.",
    ).exactOptional(),
    policy: policySchema("IfExists"),
  }),
  exactlyOneOf(["groupRef", "groupUid"], "a role is granted in one group"),
  exactlyOneOf(["identityRef", "identityUid"], "a role is granted to one identity"),
  exactlyOneOf(["roleRef", "roleUid"], "one role is granted"),
  immutable("groupRef", `groupRef ${fixedGrant}`),
  immutable("groupUid", `groupUid ${fixedGrant}`),
  immutable("identityRef", `identityRef ${fixedGrant}`),
  immutable("identityUid", `identityUid ${fixedGrant}`),
  immutable("roleRef", `roleRef ${fixedGrant}`),
  immutable("roleUid", `roleUid ${fixedGrant}`),
  immutable("uid", `uid ${fixedGrant}`),
  directlyBelow("groupUid"),
).describe("What shall be granted.");

export type RoleBindingSpec = z.output<typeof roleBindingSpecSchema>;

/** A role, granted to an identity in a group on the platform. */
export type RoleBinding = CustomResource<RoleBindingSpec, "RoleBinding">;
