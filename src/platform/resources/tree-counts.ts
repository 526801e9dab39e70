import { ancestorsOf, parentOf } from "../contract/uid.ts";
import { type Reader, type Statement, statement, type Writer } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import type { Region } from "./region.ts";

/** The scope of the whole platform, whose children are the roots. */
const platform = "";

/** `kind`, `descendants`, and for each scope `scopeN` and `childrenN`. */
type Additions = Readonly<Record<string, string | number>>;

/** Adds to a number of scopes in one statement, which saves round trips. One statement is compiled for each depth. */
function addTo(scopes: number): Statement<Additions, unknown> {
  return statement((db, p: Additions) =>
    db
      .insertInto("tree_counts")
      .values(
        Array.from({ length: scopes }, (_, n) => ({
          scope: p[`scope${n}`] as string,
          kind: p["kind"] as string,
          children: p[`children${n}`] as number,
          descendants: p["descendants"] as number,
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

const additions: Statement<Additions, unknown>[] = [];

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

/** Counts a resource that was created (1) or deleted (-1), in the same transaction. */
export async function addToTreeCounts(writer: Writer, kind: CountedKind, uid: string, change: 1 | -1): Promise<void> {
  const parent = parentOf(uid) ?? platform;
  const scopes = [platform, ...ancestorsOf(uid)];
  const parameters: Record<string, string | number> = { kind, descendants: change };
  for (const [n, scope] of scopes.entries()) {
    parameters[`scope${n}`] = scope;
    parameters[`children${n}`] = scope === parent ? change : 0;
  }
  await writer.run((additions[scopes.length] ??= addTo(scopes.length)), parameters);
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
