import { sql } from "kysely";
import { type Migration, resourceIndex, resourceTable } from "./migration.ts";
import type { ResourceTable } from "./tables.ts";

/** Repos, tags and advisories. */
export const registry: Migration = (db, types) => {
  const text = sql.raw(types.text);
  const integer = sql.raw(types.integer);
  const clustered = sql.raw(types.clustered);
  const index = (table: ResourceTable, column: string) => resourceIndex(db, table, column, "uid");

  return [
    resourceTable(db, types, "repos").modifyEnd(clustered),
    index("repos", "parent"),
    index("repos", "name"),
    index("repos", "create_time"),
    resourceTable(db, types, "tags")
      .addColumn("digest", text, (column) => column.notNull())
      .addColumn("form", integer, (column) => column.notNull())
      .modifyEnd(clustered),
    index("tags", "parent"),
    index("tags", "name"),
    index("tags", "create_time"),
    index("tags", "update_time"),
    index("tags", "digest"),
    resourceTable(db, types, "advisories")
      .addColumn("advisory_id", text, (column) => column.notNull())
      .addColumn("legacy_advisory_id", text)
      .addColumn("artifact_name", text, (column) => column.notNull())
      .addColumn("artifact_type", text, (column) => column.notNull())
      .addColumn("artifact_architecture", text, (column) => column.notNull())
      .addColumn("component_name", text, (column) => column.notNull())
      .addColumn("component_type", text, (column) => column.notNull())
      .addColumn("component_location", text, (column) => column.notNull())
      .addColumn("event_types", integer, (column) => column.notNull())
      .addColumn("latest_event_type", integer, (column) => column.notNull())
      .addColumn("search_text", text, (column) => column.notNull())
      .modifyEnd(clustered),
    index("advisories", "parent"),
    index("advisories", "create_time"),
    index("advisories", "update_time"),
    index("advisories", "advisory_id"),
    index("advisories", "legacy_advisory_id"),
    index("advisories", "artifact_name"),
    index("advisories", "component_name"),
    index("advisories", "latest_event_type"),
    db.schema
      .createTable("advisory_aliases")
      .addColumn("alias", text, (column) => column.notNull())
      .addColumn("advisory_uid", text, (column) => column.notNull())
      .addPrimaryKeyConstraint("advisory_aliases_key", ["alias", "advisory_uid"] as never)
      .modifyEnd(clustered),
  ];
};
