import * as z from "zod";
import { awsIdentitySchema } from "./aws-identity.ts";
import { claimMatchSchema } from "./claim-match.ts";
import type { CustomResource } from "./custom-resource.ts";
import { nameAndDescription } from "./naming.ts";
import { policySchema } from "./policy.ts";
import { objectName, reference } from "./reference.ts";
import { exactlyOneOf, immutable, withRules } from "./rule.ts";
import { staticKeysSchema } from "./static-keys.ts";
import { directlyBelow, uid, uidInGroup } from "./uid.ts";

const fixedGroup =
  "cannot be changed: the platform cannot move an identity. Delete this Identity and create it in the other group";

export const identitySpecSchema = withRules(
  z.object({
    groupRef: reference(
      "Group",
      "The Group in which the identity lives. Exactly one of groupRef and groupUid is set. Immutable.",
    ).exactOptional(),
    groupUid: uid(
      "The uid of the group in which the identity lives, where that group is not managed here. Exactly one of groupRef and groupUid is set. Immutable.",
    ).exactOptional(),
    ...nameAndDescription("identity"),
    claimMatch: claimMatchSchema.exactOptional(),
    serviceAccountRef: z
      .object({ name: objectName.describe("The name of the service account.") })
      .exactOptional()
      .describe(
        "The service account of this cluster, in this object's namespace, that may assume the identity; issuer and subject follow from it. Exactly one of claimMatch, serviceAccountRef, staticKeys and awsIdentity is set.",
      ),
    staticKeys: staticKeysSchema.exactOptional(),
    awsIdentity: awsIdentitySchema.exactOptional(),
    uid: uidInGroup(
      "The uid of an existing identity to manage instead of creating one. It must be directly below the group. Immutable.",
    ).exactOptional(),
    policy: policySchema("Never"),
  }),
  exactlyOneOf(["groupRef", "groupUid"], "an identity lives in one group"),
  exactlyOneOf(
    ["claimMatch", "serviceAccountRef", "staticKeys", "awsIdentity"],
    "there is one way to assume an identity",
  ),
  immutable("groupRef", `groupRef ${fixedGroup}`),
  immutable("groupUid", `groupUid ${fixedGroup}`),
  immutable(
    "uid",
    "uid cannot be changed: delete this Identity (policy.deletion: Orphan keeps the identity) and create another",
  ),
  directlyBelow("groupUid"),
).describe("What the identity shall be.");

export type IdentitySpec = z.output<typeof identitySpecSchema>;

/** Who may call the platform: it is assumed by exchanging a token that matches it. */
export type Identity = CustomResource<IdentitySpec, "Identity">;
