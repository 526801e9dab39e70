import { tags } from "../collections/tags.ts";
import { subtreeOf } from "../contract/uid.ts";
import type { Tag } from "../gen/muster/platform/registry/v2beta1/tag_pb.ts";
import { type Reader, statement } from "../store/database.ts";

const named = statement((db, p: { name: string; from: string; to: string }) =>
  db
    .selectFrom("tags")
    .select("body")
    .where("name", "=", p.name)
    .where("uid", ">=", p.from)
    .where("uid", "<", p.to)
    .limit(1),
);
const inRepo = statement((db, p: { repo: string }) =>
  db.selectFrom("tags").select("uid").where("parent", "=", p.repo).limit(1),
);

/** The tag with this name in a repo, which is unique. */
export async function tagNamed(reader: Reader, repo: string, name: string): Promise<Tag | undefined> {
  const row = await reader.first(named, { name, ...subtreeOf(repo) });
  return row === undefined ? undefined : tags.parse(row.body);
}

export async function hasTags(reader: Reader, repo: string): Promise<boolean> {
  return (await reader.first(inRepo, { repo })) !== undefined;
}
