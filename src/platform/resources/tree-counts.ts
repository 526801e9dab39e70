import { type Reader, statement, type Writer } from "../store/store.ts";
import type { ResourceTable } from "../store/tables.ts";
import { ancestorsOf, parentOf } from "../uid.ts";
import type { Region } from "./region.ts";

/** The scope that has the whole platform below it and the roots as its children. */
const platform = "";

const add = statement((db, p: { scope: string; kind: string; children: number; descendants: number }) =>
  db
    .insertInto("tree_counts")
    .values({ scope: p.scope, kind: p.kind, children: p.children, descendants: p.descendants })
    .onConflict((conflict) =>
      conflict.columns(["scope", "kind"]).doUpdateSet((row) => ({
        children: row("tree_counts.children", "+", row.ref("excluded.children")),
        descendants: row("tree_counts.descendants", "+", row.ref("excluded.descendants")),
      })),
    ),
);

const forget = statement((db, p: { scope: string }) => db.deleteFrom("tree_counts").where("scope", "=", p.scope));

const read = statement((db, p: { scope: string; kind: string }) =>
  db
    .selectFrom("tree_counts")
    .select(["children", "descendants"])
    .where("scope", "=", p.scope)
    .where("kind", "=", p.kind),
);

/** What is counted: the resources of a table, or those of them that are in one of its parts. */
export type CountedKind = ResourceTable | `${ResourceTable}/${string}`;

/** Counts a resource that came (1) or went (-1), by the transaction that changes it. */
export async function addToTreeCounts(writer: Writer, kind: CountedKind, uid: string, change: 1 | -1): Promise<void> {
  const parent = parentOf(uid) ?? platform;
  for (const scope of [platform, ...ancestorsOf(uid)])
    await writer.run(add, { scope, kind, children: scope === parent ? change : 0, descendants: change });
}

/** What was deleted has nothing below it any more. */
export async function forgetTreeCounts(writer: Writer, uid: string): Promise<void> {
  await writer.run(forget, { scope: uid });
}

/** How many of a kind are in the region, the resource at its top not counted. */
export async function countBelow(
  reader: Reader,
  kind: CountedKind,
  region: Exclude<Region, { kind: "one" }>,
): Promise<number> {
  switch (region.kind) {
    case "everything":
      return (await reader.first(read, { scope: platform, kind }))?.descendants ?? 0;
    case "roots":
      return (await reader.first(read, { scope: platform, kind }))?.children ?? 0;
    case "within":
    case "below":
      return (await reader.first(read, { scope: region.uid, kind }))?.descendants ?? 0;
    case "children":
      return (await reader.first(read, { scope: region.uid, kind }))?.children ?? 0;
  }
}
