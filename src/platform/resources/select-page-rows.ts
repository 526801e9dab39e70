import { sql } from "kysely";
import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";

/** Bytes up to which a body is read with its row. With the most rows of a page, they are fewer than a page may have. */
const inlineBytes = 16 * 1024;

/** The uid and the body of a page's rows; null for a large one. A database knows the length of a body without reading it. */
export function selectPageRows(db: Parameters<Parameters<Reader["query"]>[0]>[0], table: ResourceTable) {
  return db
    .selectFrom(table)
    .select("uid")
    .select((row) =>
      sql<Uint8Array | null>`case when length(${row.ref("body")}) <= ${sql.lit(inlineBytes)} then ${row.ref("body")} end`.as(
        "body",
      ),
    );
}
