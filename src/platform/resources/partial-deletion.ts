import type { DescMessage } from "@bufbuild/protobuf";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import type { Statement } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Collection } from "./collection.ts";

/** The resources that are deleted with the same statements. */
const deletedTogether = 200;
/** The resources that are deleted in one transaction: other writes wait for it, for some tens of milliseconds. */
const deletedInTransaction = 400;

/**
 * Deletes the resources that a statement finds, as many as one transaction may delete. They are small, and have no children.
 * @param find selects uids, at most `limit` of them
 * @returns whether none is left; otherwise the rest is for another transaction (`Sessions.writeInParts`)
 */
export async function deleteSome<D extends DescMessage, T extends ResourceTable, P extends object>(
  tx: AuthoredWriter,
  collection: Collection<D, T>,
  find: Statement<P & { readonly limit: number }, { uid: string }>,
  parameters: P,
): Promise<boolean> {
  for (let deleted = 0; deleted < deletedInTransaction; deleted += deletedTogether) {
    const rows = await tx.all(find, { ...parameters, limit: deletedTogether });
    if (rows.length === 0) return true;
    await collection.deleteAll(
      tx,
      rows.map(({ uid }) => uid),
    );
    if (rows.length < deletedTogether) return true;
  }
  return false;
}
