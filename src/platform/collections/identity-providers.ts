import { Capability } from "../authorization/capability.ts";
import { IdentityProviderSchema } from "../gen/muster/platform/iam/v2beta1/identity_provider_pb.ts";
import { byUid, Collection } from "../resources/collection.ts";

/** Stored with the client secret sealed. Responses do not contain it (`iam/client-secret.ts`). */
export const identityProviders = new Collection({
  schema: IdentityProviderSchema,
  table: "identity_providers",
  type: "identity provider",
  types: "identity providers",
  listCapability: Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST,
  sortable: ["uid", "name", "create_time", "update_time"],
  defaultOrder: byUid,
  columns: { default_role: ({ defaultRole }) => defaultRole },
});
