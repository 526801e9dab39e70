/**
 * What commands ask for that only read, if they assume an identity: a token that can do nothing else, whatever the identity may do. All
 * are of the contract, because a token service refuses those that it does not know.
 */
export const readingCapabilities: readonly string[] = [
  "groups.list",
  "identity.list",
  "roles.list",
  "role_bindings.list",
  "identity_providers.list",
  "account_associations.list",
  "group_invites.list",
];
