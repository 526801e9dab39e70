import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { groups } from "../collections/groups.ts";
import { isUid } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import type { Collection } from "../resources/collection.ts";
import { allOf, type Condition, inRegions, nameIs } from "../resources/row-condition.ts";
import type { Session } from "../service/session.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { type ListSelection, selectRows } from "./list-page.ts";
import { checkResourceType } from "./resource-type.ts";

/** The filters of a v1 list. */
export interface V1Filter {
  readonly id: string;
  readonly uidp?: UIDPFilter | undefined;
  readonly name?: string;
  /** The uid of a group. */
  readonly parent?: string;
}

/**
 * Returns everything that the caller can see, ordered by uid and without pages, as v1 does.
 * @throws ApiError (3) on a uid that is malformed or names another type of resource
 */
export async function listAll<D extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  filter: V1Filter,
  selection: Pick<ListSelection<ResourceTable>, "rootsArePublic"> = {},
): Promise<MessageShape<D>[]> {
  const { table } = collection.description;
  const { regions, filters } = await selectRows(session, collection, filter.uidp, {
    ...selection,
    conditions: [
      ...uidIs("id", "uid", filter.id),
      ...uidIs("parent", "parent", filter.parent ?? ""),
      ...nameIs(filter.name ?? ""),
    ],
  });
  const { id, parent = "" } = filter;
  if (id !== "") await checkResourceType(session, "id", [id], [collection]);
  if (parent !== "") await checkResourceType(session, "parent", [parent], [groups]);
  if (regions.length === 0) return [];
  const rows = await session.tx.query((db) =>
    db
      .selectFrom(table)
      .select("body")
      .where((row) => allOf(row, [inRegions(regions), ...filters]))
      .orderBy("uid"),
  );
  return rows.map(({ body }) => collection.parse(body));
}

/** A filter by uid. One that does not exist gives an empty list. */
function uidIs(field: string, column: "uid" | "parent", uid: string): Condition[] {
  if (uid === "") return [];
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
  return [(row) => row(column, "=", uid)];
}
