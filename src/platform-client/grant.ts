import type { ExternalResource } from "./collection.ts";
import type { ExternalRoleBinding } from "./permission-resources.ts";

/** The role binding that `external` is; undefined if it is something else. */
export function grantOf(external: ExternalResource): ExternalRoleBinding | undefined {
  return "identity" in external && "role" in external ? (external as ExternalRoleBinding) : undefined;
}

/** The role that `external` grants: a role binding to its identity, an invite to whoever has its code; undefined if it grants none. */
export function roleGrantedBy(external: ExternalResource): ExternalRoleBinding["role"] | undefined {
  return "role" in external ? (external.role as ExternalRoleBinding["role"] | undefined) : undefined;
}
