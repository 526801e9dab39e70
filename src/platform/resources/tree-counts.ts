import { sql } from "kysely";
import { ancestorsOf, parentOf } from "../contract/uid.ts";
import { type Reader, type Statement, statement, type Writer } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Region } from "./region.ts";

/** The kind that counts all resources in a scope, whatever their type. */
export const allResources = "resources";
/** The kind that counts the role bindings of the identity that is the scope. */
export const bindingsOfIdentity = "bindings";

/** A count, of all kinds of which a scope has one. */
export interface Count {
  readonly scope: string;
  readonly kind: string;
}

/** A count that exceeds its limit. */
export interface ExceededCount extends Count {
  readonly limit: number;
}

/** The scope of the whole platform, whose children are the roots. */
const platform = "";

/** The values of all rows, one row after the other. An object with a name for each would take several KiB in each create. */
type Values = readonly (string | number)[];

/** Adds to a number of counts in one statement, which saves round trips. One statement is compiled for each number. */
function addTo(counts: number): Statement<Values, unknown> {
  return statement((db, p: Values) =>
    db
      .insertInto("tree_counts")
      .values(
        Array.from({ length: counts }, (_, n) => ({
          scope: p[4 * n] as string,
          kind: p[4 * n + 1] as string,
          children: p[4 * n + 2] as number,
          descendants: p[4 * n + 3] as number,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["scope", "kind"]).doUpdateSet((row) => ({
          children: row("tree_counts.children", "+", row.ref("excluded.children")),
          descendants: row("tree_counts.descendants", "+", row.ref("excluded.descendants")),
        })),
      ),
  );
}

const additions: Statement<Values, unknown>[] = [];

/** An addition to the count of a scope. */
export interface Addition extends Count {
  readonly children: number;
  readonly descendants: number;
}

/** Adds to counts, each of which occurs once. */
export async function add(writer: Writer, rows: readonly Addition[]): Promise<void> {
  const parameters: (string | number)[] = [];
  for (const { scope, kind, children, descendants } of rows) parameters.push(scope, kind, children, descendants);
  await writer.run((additions[rows.length] ??= addTo(rows.length)), parameters);
}

/** One look-up for each count: two lists of parameters cost SQLite three times as much. */
function exceededOf(counts: number): Statement<Values, ExceededCount> {
  return statement((db, p: Values) => {
    const selects = Array.from({ length: counts }, (_, n) => {
      const limit = sql<number>`coalesce(maximum, ${p[3 * n + 2]})`;
      return db
        .selectFrom("tree_counts")
        .select(["scope", "kind", limit.as("limit")])
        .where("scope", "=", p[3 * n] as string)
        .where("kind", "=", p[3 * n + 1] as string)
        .where("descendants", ">", limit);
    });
    return selects.reduce((all, select) => all.unionAll(select));
  });
}

const exceededOfCounts: Statement<Values, ExceededCount>[] = [];

/** A limit that no count reaches. */
const unlimited = Number.MAX_SAFE_INTEGER;

/**
 * The counts that exceed their limits: the maximum of the scope, which its group sets, otherwise the default.
 * @param counts at least one, and at most a few for each level of the tree
 */
export function exceeded(
  reader: Reader,
  counts: readonly (Count & { readonly defaultLimit: number | undefined })[],
): Promise<ExceededCount[]> {
  const parameters: (string | number)[] = [];
  for (const { scope, kind, defaultLimit } of counts) parameters.push(scope, kind, defaultLimit ?? unlimited);
  return reader.all((exceededOfCounts[counts.length] ??= exceededOf(counts.length)), parameters);
}

const deleteCounts = statement((db, p: { scope: string }) => db.deleteFrom("tree_counts").where("scope", "=", p.scope));

const read = statement((db, p: { scope: string; kind: string }) =>
  db
    .selectFrom("tree_counts")
    .select(["children", "descendants"])
    .where("scope", "=", p.scope)
    .where("kind", "=", p.kind),
);

/** The resources that are counted: those of a table, or of one of its partitions. */
export type CountedKind = ResourceTable | `${ResourceTable}/${string}`;

/** The counts that change with a resource that was created (1) or deleted (-1): those of its kind, and of all resources. */
export function additionsOf(kind: CountedKind, uid: string, change: 1 | -1): Addition[] {
  const parent = parentOf(uid) ?? platform;
  const scopes = ancestorsOf(uid);
  const rows: Addition[] = [platform, ...scopes].map((scope) => ({
    scope,
    kind,
    children: scope === parent ? change : 0,
    descendants: change,
  }));
  // A partition is counted as a part of its table.
  if (!kind.includes("/"))
    for (const scope of scopes) rows.push({ scope, kind: allResources, children: 0, descendants: change });
  return rows;
}

/** The addition for a role binding of an identity. */
export function additionFor(identity: string, change: 1 | -1): Addition {
  return { scope: identity, kind: bindingsOfIdentity, children: 0, descendants: change };
}

/** Deletes the counts of a resource that was deleted. */
export async function deleteTreeCounts(writer: Writer, uid: string): Promise<void> {
  await writer.run(deleteCounts, { scope: uid });
}

/** The number of resources in the region, without the resource at its top. */
export async function countBelow(
  reader: Reader,
  kind: CountedKind,
  region: Exclude<Region, { kind: "resource" }>,
): Promise<number> {
  switch (region.kind) {
    case "everything":
      return (await reader.first(read, { scope: platform, kind }))?.descendants ?? 0;
    case "roots":
      return (await reader.first(read, { scope: platform, kind }))?.children ?? 0;
    case "subtree":
    case "descendants":
      return (await reader.first(read, { scope: region.uid, kind }))?.descendants ?? 0;
    case "children":
      return (await reader.first(read, { scope: region.uid, kind }))?.children ?? 0;
  }
}

/** Scopes of one query; backends limit its parameters. */
const scopesOfQuery = 500;

/**
 * The number of resources in each region, without those at their tops: of the first kind, less those of the other kinds,
 * which are partitions of it.
 */
export async function countsBelow(
  reader: Reader,
  kinds: readonly CountedKind[],
  regions: readonly Region[],
): Promise<number[]> {
  const scopes = [...new Set(regions.flatMap((region) => (region.kind === "resource" ? [] : [scopeOf(region)])))];
  const counted = new Map<string, { children: number; descendants: number }>();
  for (let start = 0; start < scopes.length; start += scopesOfQuery) {
    const some = scopes.slice(start, start + scopesOfQuery);
    const rows = await reader.query((db) =>
      db
        .selectFrom("tree_counts")
        .select(["scope", "kind", "children", "descendants"])
        .where("scope", "in", some)
        .where("kind", "in", kinds),
    );
    for (const { scope, kind, children, descendants } of rows) {
      const sign = kind === kinds[0] ? 1 : -1;
      const sum = counted.get(scope) ?? { children: 0, descendants: 0 };
      counted.set(scope, {
        children: sum.children + sign * children,
        descendants: sum.descendants + sign * descendants,
      });
    }
  }
  return regions.map((region) => {
    const sum = region.kind === "resource" ? undefined : counted.get(scopeOf(region));
    return (region.kind === "roots" || region.kind === "children" ? sum?.children : sum?.descendants) ?? 0;
  });
}

function scopeOf(region: Exclude<Region, { kind: "resource" }>): string {
  return "uid" in region ? region.uid : platform;
}
