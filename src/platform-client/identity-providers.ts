import * as z from "zod";
import { externalText, externalUid, type ResourceType } from "./collection.ts";
import { childUids } from "./uid.ts";

const identityProvider = z.object({
  uid: externalUid,
  oidc: z.object({ issuer: externalText }).optional(),
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
