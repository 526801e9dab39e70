import { sql } from "kysely";
import type { Migration } from "./migration.ts";

/** The identities whose tokens were ended. An identity without a row has never had its tokens ended. */
export const securityStamps: Migration = (db, types) => {
  const text = sql.raw(types.text);
  return [
    db.schema
      .createTable("security_stamps")
      .addColumn("identity_uid", text, (column) => column.primaryKey().notNull())
      .addColumn("stamp", text, (column) => column.notNull())
      .modifyEnd(sql.raw(types.clustered)),
  ];
};
