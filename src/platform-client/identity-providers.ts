import * as z from "zod";
import { externalText, externalUid, type ResourceType } from "./collection.ts";
import { childUids } from "./uid.ts";

const identityProvider = z.object({
  uid: externalUid,
  name: externalText,
  description: externalText,
  updateTime: externalText,
  /** The uid of a role. */
  defaultRole: externalText,
  oidc: z
    .object({
      issuer: externalText,
      clientId: externalText,
      additionalScopes: z.array(z.string()).default([]),
      groupsClaim: externalText,
      pkceEnabled: z.boolean().default(false),
    })
    .optional(),
});

/** Where the people of a group, and of the groups below it, log in. */
export type ExternalIdentityProvider = z.output<typeof identityProvider>;

export const identityProviders = {
  name: "identityProviders",
  api: "iam/v2beta1",
  schema: identityProvider,
  uids: childUids,
} satisfies ResourceType;

/** The capability that is required to list identity providers. */
export const listIdentityProviders = "CAP_IAM_IDENTITY_PROVIDERS_LIST";
