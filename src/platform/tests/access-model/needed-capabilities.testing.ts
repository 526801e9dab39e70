import { Capability } from "#src/platform/authorization/capability.ts";
import type { ChangeableKind } from "./world.testing.ts";

type Verb = "create" | "update" | "list" | "delete";

/** The capability that each method needs in its group. */
export const neededCapabilities: Readonly<
  Record<ChangeableKind, Readonly<Record<Verb, Capability>>> & { advisories: { readonly list: Capability } }
> = {
  groups: verbs("CAP_IAM_GROUPS"),
  identities: verbs("CAP_IAM_IDENTITY"),
  roles: verbs("CAP_IAM_ROLES"),
  roleBindings: verbs("CAP_IAM_ROLE_BINDINGS"),
  identityProviders: verbs("CAP_IAM_IDENTITY_PROVIDERS"),
  accountAssociations: verbs("CAP_IAM_ACCOUNT_ASSOCIATIONS"),
  // There is no capability for updating invites.
  groupInvites: { ...verbs("CAP_IAM_GROUP_INVITES"), update: Capability.CAP_IAM_GROUP_INVITES_CREATE },
  repos: verbs("CAP_REPO"),
  tags: verbs("CAP_TAG"),
  advisories: { list: Capability.CAP_ADVISORIES_LIST },
};

function verbs(prefix: string): Readonly<Record<Verb, Capability>> {
  const named = (verb: string) => Capability[`${prefix}_${verb}` as keyof typeof Capability];
  return { create: named("CREATE"), update: named("UPDATE"), list: named("LIST"), delete: named("DELETE") };
}
