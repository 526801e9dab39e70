import type { DescMessage } from "@bufbuild/protobuf";
import { parentOf, subtreeOf } from "../contract/uid.ts";
import { alreadyExists } from "../errors/api-error.ts";
import type { Collection } from "../resources/collection.ts";
import type { WriteTransaction } from "../service/transaction.ts";

/**
 * Rejects a name that a sibling has, if the settings require unique names.
 * @param uid of the resource that is to have the name
 * @throws ApiError (6)
 */
export async function checkUniqueName<D extends DescMessage>(
  { tx, settings }: WriteTransaction,
  collection: Collection<D>,
  uid: string,
  name: string,
): Promise<void> {
  if (!settings.uniqueNames) return;
  const { table, type } = collection.description;
  const parent = parentOf(uid);
  const taken = await tx.query((db) => {
    const named = db.selectFrom(table).select("uid").where("name", "=", name).where("uid", "!=", uid).limit(1);
    if (parent === undefined) return named.where("parent", "is", null);
    // Of identities, the index on (name, uid) serves the query, because of the range.
    const { from, to } = subtreeOf(parent);
    return named.where("uid", ">=", from).where("uid", "<", to).where("parent", "=", parent);
  });
  if (taken.length > 0) throw alreadyExists(`a ${type} named "${name}" exists in the same parent`);
}
