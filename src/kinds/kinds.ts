import type { KindName, Resource } from "#src/api/resource.ts";
import { groupKind } from "./group.ts";
import { identityKind } from "./identity.ts";
import type { Kind } from "./kind.ts";
import { roleBindingKind } from "./role-binding.ts";

/** Every kind by name. A kind without an entry, or with another kind's entry, does not compile. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  Group: groupKind,
  Identity: identityKind,
  RoleBinding: roleBindingKind,
} satisfies { readonly [K in KindName]: Kind<Extract<Resource, { kind: K }>> };
