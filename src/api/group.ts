import * as z from "zod";
import { nameAndDescription } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { reference } from "./reference.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import type { CustomResource } from "./custom-resource.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

const fixedParent =
  "cannot be changed: the platform cannot move a group. Delete this Group and create it under the other parent";

export const groupSpecSchema = withRules(
  z.object({
    parentRef: reference(
      "Group",
      "The Group below which this one lives. Exactly one of parentRef and parentUid is set. Immutable.",
    ).exactOptional(),
    parentUid: uid(
      "The uid of the group below which this one lives, where that group is not managed here. Exactly one of parentRef and parentUid is set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("group"),
    uid: uidInGroup(
      "The uid of an existing group to manage instead of creating one. It must be directly below the parent. Immutable.",
    ).exactOptional(),
    policy: policySchema("Never"),
  }),
  exactlyOneOf(["parentRef", "parentUid"], "a group lives below one parent"),
  immutable("parentRef", `parentRef ${fixedParent}`),
  immutable("parentUid", `parentUid ${fixedParent}`),
  immutable(
    "uid",
    "uid cannot be changed: delete this Group (policy.deletion: Orphan keeps the group) and create another",
  ),
  directlyBelow("parentUid"),
).describe("What the group shall be.");

export type GroupSpec = z.output<typeof groupSpecSchema>;

/** A group on the platform. */
export type Group = CustomResource<GroupSpec, "Group">;
