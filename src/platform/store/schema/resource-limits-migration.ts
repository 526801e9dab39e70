import { type Kysely, sql } from "kysely";
import type { Migration } from "./migration.ts";
import type { Tables } from "./tables.ts";

/**
 * The limits of groups, next to the counts that they limit; the counts of all resources below each scope, and of the role
 * bindings of each identity.
 */
export const resourceLimits: Migration = (untyped, types) => {
  const db = untyped as Kysely<Tables>;
  return [
    db.schema.alterTable("tree_counts").addColumn("maximum", sql.raw(types.integer)),
    db
      .insertInto("tree_counts")
      .columns(["scope", "kind", "children", "descendants"])
      .expression(
        db
          .selectFrom("tree_counts")
          .select((row) => [
            "scope",
            sql.lit("resources").as("kind"),
            sql.lit(0).as("children"),
            row.fn.sum<number>("descendants").as("descendants"),
          ])
          .where("scope", "!=", sql.lit(""))
          .where("kind", "not like", sql.lit("%/%"))
          .groupBy("scope"),
      ),
    db
      .insertInto("tree_counts")
      .columns(["scope", "kind", "children", "descendants"])
      .expression(
        db
          .selectFrom("role_bindings")
          .select((row) => [
            "identity_uid as scope",
            sql.lit("bindings").as("kind"),
            sql.lit(0).as("children"),
            row.fn.countAll<number>().as("descendants"),
          ])
          .groupBy("identity_uid"),
      ),
  ];
};
