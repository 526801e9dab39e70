import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import type { Session } from "../service/session.ts";
import { isUid } from "../uid.ts";
import type { Collection } from "./collection.ts";
import { type Selection, selectionOf } from "./list.ts";
import { allOf, type Condition, inRegions, nameIs } from "./row-condition.ts";

/** The filters that the lists of v1 have. */
export interface V1Filter {
  readonly id: string;
  readonly uidp?: UIDPFilter | undefined;
  readonly name?: string;
}

/**
 * Everything that the caller may see, unpaged, as v1 answers: in the order of uids.
 * @throws ApiError (3) on a malformed uid
 */
export async function listAll<D extends DescMessage>(
  { tx, access }: Session,
  collection: Collection<D>,
  filter: V1Filter,
  selection: Selection = {},
): Promise<MessageShape<D>[]> {
  const { table } = collection.description;
  const { regions, conditions } = selectionOf(access, collection, filter.uidp, {
    ...selection,
    conditions: [...idIs(filter.id), ...nameIs(filter.name ?? "")],
  });
  if (regions.length === 0) return [];
  const rows = await tx.query((db) =>
    db
      .selectFrom(table)
      .select("body")
      .where((row) => allOf(row, [inRegions(regions), ...conditions]))
      .orderBy("uid"),
  );
  return rows.map(({ body }) => collection.parse(body));
}

/** A missing id is an empty list. */
function idIs(id: string): Condition[] {
  if (id === "") return [];
  if (!isUid(id)) throw invalidArgument("id", "must be a uid");
  return [(row) => row("uid", "=", id)];
}
