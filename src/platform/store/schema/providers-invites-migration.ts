import { sql } from "kysely";
import { type Migration, resourceIndex, resourceTable } from "./migration.ts";
import type { ResourceTable } from "./tables.ts";

/** Identity providers, account associations and group invites. */
export const providersAndInvites: Migration = (db, types) => {
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  const clustered = sql.raw(types.clustered);
  const index = (table: ResourceTable, column: string) => resourceIndex(db, table, column, "uid");

  return [
    resourceTable(db, types, "identity_providers")
      .addColumn("default_role", text, (column) => column.notNull())
      .modifyEnd(clustered),
    index("identity_providers", "parent"),
    index("identity_providers", "name"),
    index("identity_providers", "create_time"),
    index("identity_providers", "default_role"),
    resourceTable(db, types, "account_associations").modifyEnd(clustered),
    index("account_associations", "parent"),
    index("account_associations", "name"),
    index("account_associations", "create_time"),
    resourceTable(db, types, "group_invites")
      .addColumn("role_uid", text, (column) => column.notNull())
      .addColumn("expires", integer, (column) => column.notNull())
      .addColumn("key_id", text, (column) => column.notNull())
      .addColumn("code_hash", text, (column) => column.notNull())
      .modifyEnd(clustered),
    index("group_invites", "parent"),
    index("group_invites", "create_time"),
    index("group_invites", "role_uid"),
    index("group_invites", "key_id"),
  ];
};
