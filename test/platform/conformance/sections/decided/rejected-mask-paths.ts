import type { CollectionName } from "../../client/collections.ts";
import { rejected } from "../../expect.ts";
import type { World } from "../../world.ts";

/** Updates with each of the paths as their mask must be rejected, with a violation of `update_mask`. */
export async function rejectsMaskPaths(
  { api }: World,
  collection: CollectionName,
  uid: string,
  paths: readonly string[],
  body: object = {},
): Promise<void> {
  for (const path of paths)
    rejected(
      await api.update(collection, uid, body, [path]),
      { code: 3, field: "update_mask" },
      `an update of ${path}`,
    );
}
