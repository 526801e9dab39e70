import type { ExternalResource } from "#src/platform-client/collection.ts";
import type { ExternalRoleBinding } from "#src/platform-client/permission-resources.ts";

/** The role binding that `external` is; undefined if it is something else. */
export function grantOf(external: ExternalResource): ExternalRoleBinding | undefined {
  return "identity" in external && "role" in external ? (external as ExternalRoleBinding) : undefined;
}
