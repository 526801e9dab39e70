import { repos } from "#src/platform/collections/repos.ts";
import { subtreeOf } from "#src/platform/contract/uid.ts";
import type { Repo } from "#src/platform/gen/muster/platform/registry/v2beta1/repo_pb.ts";
import { type Reader, statement } from "#src/platform/store/database.ts";

const named = statement((db, p: { name: string; group: string; from: string; to: string }) =>
  db
    .selectFrom("repos")
    .select("body")
    .where("name", "=", p.name)
    .where("uid", ">=", p.from)
    .where("uid", "<", p.to)
    .where("parent", "=", p.group)
    .limit(2),
);

/** The repos with this name directly in a group, at most two. Names may be ambiguous. */
export async function reposNamed(reader: Reader, group: string, name: string): Promise<Repo[]> {
  const rows = await reader.all(named, { name, group, ...subtreeOf(group) });
  return rows.map(({ body }) => repos.parse(body));
}
