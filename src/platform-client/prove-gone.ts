import type { PlatformApi } from "./api.ts";
import type { ManagedCollection } from "./collection.ts";
import { isRejection } from "./failure.ts";
import { groups } from "./permission-resources.ts";
import type { SessionPermissions } from "./session-permissions.ts";
import { parentOf } from "./uid.ts";

/**
 * Proves that a resource is absent after a call for its uid was rejected with NOT_FOUND. The response alone
 * proves nothing: it is the same for a resource that the caller cannot see. The proof is that the permissions, read after that response,
 * cover the root above the uid, and that a group above the uid can be read.
 * @throws {PlatformFailure} if the absence is not proven.
 */
export async function proveAbsence(
  { api, permissions, signal }: { api: PlatformApi; permissions: SessionPermissions; signal: AbortSignal },
  collection: ManagedCollection,
  uid: string,
): Promise<void> {
  const parent = collection.uids.parentOf(uid);
  const root = permissions.rootAbove(collection, parent ?? uid);
  await permissions.requireListAfter(permissions.readsStarted, collection, root);
  for (let above = parent; above !== undefined; above = parentOf(above)) {
    try {
      await api.get(groups, above, signal);
      return;
    } catch (error) {
      // A deleted group takes its children with it. Whether this group was deleted is decided one level further up.
      if (!isRejection(error, "NOT_FOUND") || above === root) throw error;
    }
  }
}
