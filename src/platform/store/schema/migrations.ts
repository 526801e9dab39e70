import { type Compilable, type Kysely, sql } from "kysely";
import { auditLog } from "./audit-migration.ts";
import { loginCodes } from "./login-codes-migration.ts";
import { auditEvents } from "./audit-events-migration.ts";
import { type Migration, resourceIndex, resourceTable, type SqlTypes } from "./migration.ts";
import { namedAdmins } from "./named-admins-migration.ts";
import { providersAndInvites } from "./providers-invites-migration.ts";
import { resourceLimits } from "./resource-limits-migration.ts";
import { registry } from "./registry-migration.ts";
import { securityStamps } from "./security-stamps-migration.ts";
import type { ResourceTable } from "./tables.ts";
import { usedTokens } from "./used-tokens-migration.ts";

export const sqliteTypes: SqlTypes = {
  text: "text",
  integer: "integer",
  bytes: "blob",
  sequence: "integer primary key autoincrement",
  clustered: "without rowid",
};

export const postgresTypes: SqlTypes = {
  text: 'text collate "C"',
  integer: "bigint",
  bytes: "bytea",
  sequence: "bigint generated always as identity primary key",
  clustered: "",
};

/** A released migration is never modified: every later change is a new migration at the end. */
export const migrations: readonly Migration[] = [
  core,
  refreshFamilies,
  registry,
  providersAndInvites,
  auditLog,
  updateTimes,
  securityStamps,
  namedAdmins,
  resourceLimits,
  usedTokens,
  loginCodes,
  auditEvents,
];

function core(db: Kysely<unknown>, types: SqlTypes): readonly Compilable[] {
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  const bytes = sql.raw(types.bytes);
  const clustered = sql.raw(types.clustered);

  const resource = (table: ResourceTable) => resourceTable(db, types, table);
  const index = (table: ResourceTable, ...columns: string[]) => resourceIndex(db, table, ...columns);

  return [
    resource("groups").modifyEnd(clustered),
    resource("identities")
      .addColumn("relationship", integer, (column) => column.notNull())
      .addColumn("issuer", text)
      .addColumn("subject", text)
      .addColumn("expires", integer)
      .modifyEnd(clustered),
    resource("roles").modifyEnd(clustered),
    resource("role_bindings")
      .addColumn("identity_uid", text, (column) => column.notNull())
      .addColumn("role_uid", text, (column) => column.notNull())
      .modifyEnd(clustered),
    index("groups", "parent", "uid"),
    index("groups", "name", "uid"),
    index("groups", "create_time", "uid"),
    index("identities", "parent", "uid"),
    index("identities", "name", "uid"),
    index("identities", "create_time", "uid"),
    index("identities", "subject", "issuer"),
    index("roles", "parent", "uid"),
    index("role_bindings", "parent", "uid"),
    index("role_bindings", "create_time", "uid"),
    index("role_bindings", "identity_uid", "uid"),
    index("role_bindings", "role_uid", "uid"),
    db.schema
      .createTable("tree_counts")
      .addColumn("scope", text, (column) => column.notNull())
      .addColumn("kind", text, (column) => column.notNull())
      .addColumn("children", integer, (column) => column.notNull())
      .addColumn("descendants", integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("tree_counts_key", ["scope", "kind"] as never)
      .modifyEnd(clustered),
    db.schema
      .createTable("founding_bindings")
      .addColumn("group_uid", text, (column) => column.primaryKey().notNull())
      .addColumn("binding_uid", text, (column) => column.notNull()),
    db.schema
      .createTable("facts")
      .addColumn("name", text, (column) => column.primaryKey().notNull())
      .addColumn("value", text, (column) => column.notNull()),
    db.schema
      .createTable("admin_tokens")
      .addColumn("hash", text, (column) => column.primaryKey().notNull())
      .addColumn("create_time", integer, (column) => column.notNull()),
    db.schema
      .createTable("signing_keys")
      .addColumn("kid", text, (column) => column.primaryKey().notNull())
      .addColumn("create_time", integer, (column) => column.notNull())
      .addColumn("public_key", text, (column) => column.notNull())
      .addColumn("private_key", bytes, (column) => column.notNull()),
  ];
}

function refreshFamilies(db: Kysely<unknown>, types: SqlTypes): readonly Compilable[] {
  const text = sql.raw(types.text);
  return [
    db.schema
      .createTable("refresh_families")
      .addColumn("id", text, (column) => column.primaryKey().notNull())
      .addColumn("identity_uid", text, (column) => column.notNull())
      .addColumn("token_hash", text, (column) => column.notNull())
      .addColumn("expires", sql.raw(types.integer), (column) => column.notNull())
      .addColumn("content", text, (column) => column.notNull()),
    db.schema.createIndex("refresh_families_by_identity").on("refresh_families").columns(["identity_uid"]),
    db.schema.createIndex("refresh_families_by_expires").on("refresh_families").columns(["expires"]),
  ];
}

/** Lists can be ordered by update_time. Tags and advisories already have this index; the other tables are small. */
function updateTimes(db: Kysely<unknown>): readonly Compilable[] {
  return (["groups", "identities", "repos"] as const).map((table) => resourceIndex(db, table, "update_time", "uid"));
}
