import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import { groups } from "../collections/groups.ts";
import { isUid } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import { responsePartBytes } from "../limits/size-limits.ts";
import { byUid, type Collection } from "../resources/collection.ts";
import { filteredEntries, pageOfEntries } from "../resources/filtered-entries.ts";
import type { PageQuery } from "../resources/page-query.ts";
import { pageRows } from "../resources/page-rows.ts";
import { type Condition, nameIs } from "../resources/row-condition.ts";
import { RestOfList } from "../service/rest-of-list.ts";
import type { Call } from "../service/service.ts";
import type { Session, Sessions } from "../service/session.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { itemsWithin, type ListSelection, selectRows } from "./list-page.ts";
import { checkResourceType } from "./resource-type.ts";

/** The filters of a v1 list. */
export interface V1Filter {
  readonly id: string;
  readonly uidp?: UIDPFilter | undefined;
  readonly name?: string;
  /** The uid of a group. */
  readonly parent?: string;
}

/** How a list becomes one of v1. */
interface V1Form<D extends DescMessage, T extends Message>
  extends Pick<ListSelection<ResourceTable>, "rootsArePublic"> {
  readonly filter: V1Filter;
  readonly v1: (session: Session, items: MessageShape<D>[]) => Promise<T[]> | T[];
}

/** The rows that are read together. */
const rowsTogether = 200;

/**
 * Returns everything that the caller can see, ordered by uid and without pages, as v1 does: the first items, and the rest, which
 * is read while it is sent. Each part is read in a transaction of its own, with the caller's permissions at that time: the
 * embedded database serves other reads between them, however slowly the client receives the list. A resource that exists
 * all the time is listed once.
 * @throws ApiError (3) on a uid that is malformed or names another type of resource; (8) if too many lists are being sent
 */
export async function listAll<D extends DescMessage, T extends Message>(
  sessions: Sessions,
  call: Call,
  collection: Collection<D>,
  form: V1Form<D, T>,
): Promise<{ readonly items: T[]; readonly rest: RestOfList<T> | undefined }> {
  let after: string | undefined;
  const next = async (): Promise<T[]> => {
    const part = await sessions.read(call, (session) => listPart(session, collection, form, after));
    after = part.next;
    return part.items;
  };
  const items = await next();
  if (after === undefined) return { items, rest: undefined };
  const closed = sessions.openLists.open(call.caller);
  const rest = new RestOfList(closed, async () => (after === undefined ? [] : next()));
  return { items, rest };
}

/** @returns the items after a uid, and the last uid if there are more */
async function listPart<D extends DescMessage, T extends Message>(
  session: Session,
  collection: Collection<D>,
  { filter, v1, ...selection }: V1Form<D, T>,
  after: string | undefined,
): Promise<{ readonly items: T[]; readonly next: string | undefined }> {
  const { id, parent = "", name = "" } = filter;
  const { regions, filters } = await selectRows(session, collection, filter.uidp, {
    ...selection,
    conditions: [...uidIs("id", "uid", id), ...uidIs("parent", "parent", parent), ...nameIs(name)],
  });
  if (id !== "") await checkResourceType(session, "id", [id], [collection]);
  if (parent !== "") await checkResourceType(session, "parent", [parent], [groups]);
  if (regions.length === 0) return { items: [], next: undefined };
  const query: PageQuery = {
    table: collection.description.table,
    regions,
    conditions: filters,
    order: byUid,
    cursor: after === undefined ? undefined : { sort: after, uid: after },
    skip: 0,
    limit: rowsTogether + 1,
    counts: undefined,
  };
  const entries = await filteredEntries(session.tx, { ...query, filters, scanned: [] });
  const rows =
    entries === undefined ? await pageRows(session.tx, query) : await pageOfEntries(session.tx, entries, query);
  const found = await itemsWithin(session.tx, collection, rows.slice(0, rowsTogether), responsePartBytes);
  const next = rows.length > found.length ? rows[found.length - 1]?.uid : undefined;
  return { items: await v1(session, found), next };
}

/** A filter by uid. One that does not exist gives an empty list. */
function uidIs(field: string, column: "uid" | "parent", uid: string): Condition[] {
  if (uid === "") return [];
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
  return [(row) => row(column, "=", uid)];
}
