import type { DescMessage } from "@bufbuild/protobuf";
import type { AuthoredWriter } from "../audit/authored-writer.ts";
import type { Statement } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Collection } from "./collection.ts";

/** The resources that one transaction deletes: other writes, and on SQLite all calls, wait for it, for some milliseconds. */
const together = 100;

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
  const rows = await tx.all(find, { ...parameters, limit: together });
  if (rows.length > 0)
    await collection.deleteAll(
      tx,
      rows.map(({ uid }) => uid),
    );
  return rows.length < together;
}
