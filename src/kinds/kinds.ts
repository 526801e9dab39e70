import type { KindName } from "#src/api/resource.ts";
import { groupKind } from "./group.ts";
import { identityKind } from "./identity.ts";
import type { Kind } from "./kind.ts";
import { roleBindingKind } from "./role-binding.ts";

/** Every kind, by name: the one place that lists them. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  Group: groupKind,
  Identity: identityKind,
  RoleBinding: roleBindingKind,
};
