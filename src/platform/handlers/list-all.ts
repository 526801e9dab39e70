import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import type { Coverage } from "../authorization/access.ts";
import { groups } from "../collections/groups.ts";
import { isUid } from "../contract/uid.ts";
import { aborted, invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import { responsePartBytes } from "../limits/size-limits.ts";
import { byUid, type Collection } from "../resources/collection.ts";
import { filteredEntries, pageOfEntries } from "../resources/filtered-entries.ts";
import { fewRegions } from "../resources/many-regions.ts";
import type { PageQuery } from "../resources/page-query.ts";
import { pageRows } from "../resources/page-rows.ts";
import { cutRegions, listedUids, visibleRegions } from "../resources/region.ts";
import { regionCounts } from "../resources/region-counts.ts";
import { RegionSet } from "../resources/region-set.ts";
import { type Condition, nameIs } from "../resources/row-condition.ts";
import { RestOfList } from "../service/rest-of-list.ts";
import type { Call } from "../service/service.ts";
import type { Transaction, Transactions } from "../service/transaction.ts";
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
  readonly v1: (transaction: Transaction, items: MessageShape<D>[]) => Promise<T[]> | T[];
}

/** The rows that are read together. */
const rowsTogether = 200;
/** Of more rows that a filter selects in many parts of the tree, one part after the other is searched, and not all for each part sent. */
const mostEntries = 20_000;

/**
 * Returns everything that the caller can see, ordered by uid and without pages, as v1 does: the first items, and the rest, which
 * is read while it is sent. Each part is read in a transaction of its own, with the caller's permissions at that time: the
 * embedded database serves other reads between them, however slowly the client receives the list. A resource that exists
 * all the time is listed once. The rest throws (10) if the caller loses a permission that the list began with: it would lack what
 * the caller cannot see any more, and nothing in a v1 list says that it is not complete.
 * @throws ApiError (3) on a uid that is malformed or names another type of resource; (8) if too many lists are being sent
 */
export async function listAll<D extends DescMessage, T extends Message>(
  transactions: Transactions,
  call: Call,
  collection: Collection<D>,
  form: V1Form<D, T>,
): Promise<{ readonly items: T[]; readonly rest: RestOfList<T> | undefined }> {
  const { listCapability } = collection.description;
  let after: string | undefined;
  let began: Coverage | undefined;
  const next = async (): Promise<T[]> => {
    const part = await transactions.read(call, async (transaction) => {
      const coverage = transaction.access.coverage(listCapability);
      if (began !== undefined) await checkRetained(transaction, collection, form.filter, began, coverage);
      return { ...(await listPart(transaction, collection, form, after)), coverage };
    });
    after = part.next;
    began ??= part.coverage;
    return part.items;
  };
  const items = await next();
  if (after === undefined) return { items, rest: undefined };
  const closed = transactions.openLists.open(call.caller);
  const rest = new RestOfList(closed, async () => (after === undefined ? [] : next()));
  return { items, rest };
}

/**
 * Requires that the caller still sees everything that a list selected when it began.
 * @throws ApiError (10) if something is where the caller sees nothing any more
 */
async function checkRetained<D extends DescMessage>(
  { tx }: Transaction,
  collection: Collection<D>,
  { uidp }: V1Filter,
  before: Coverage,
  now: Coverage,
): Promise<void> {
  if (now === "everywhere" || before === "everywhere") return;
  const visible = new RegionSet(visibleRegions(now, false));
  const lost = before.filter((group) => !visible.has(group));
  if (lost.length === 0) return;
  const regions = cutRegions(visibleRegions(lost, false), uidp);
  const uids = listedUids(uidp);
  const isIncomplete =
    uids === undefined
      ? (await regionCounts(tx, collection, regions, [])).some((count) => count > 0)
      : uids.some((uid) => new RegionSet(regions).has(uid));
  if (isIncomplete) throw aborted("the caller lost access to a part of the list while it was sent; list again");
}

/** @returns the items after a uid, and the last uid if there are more */
async function listPart<D extends DescMessage, T extends Message>(
  transaction: Transaction,
  collection: Collection<D>,
  { filter, v1, ...selection }: V1Form<D, T>,
  after: string | undefined,
): Promise<{ readonly items: T[]; readonly next: string | undefined }> {
  const { id, parent = "", name = "" } = filter;
  const selected = await selectRows(transaction, collection, filter.uidp, {
    ...selection,
    conditions: [...uidIs("id", "uid", id), ...uidIs("parent", "parent", parent), ...nameIs(name)],
  });
  const { regions, filters } = selected;
  if (id !== "") await checkResourceType(transaction, "id", [id], [collection]);
  if (parent !== "") await checkResourceType(transaction, "parent", [parent], [groups]);
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
  const entries =
    filters.length > 0 && regions.length > fewRegions
      ? await filteredEntries(transaction.tx, collection, { ...selected, excluded: [], order: byUid }, mostEntries)
      : undefined;
  const rows =
    entries === undefined ? await pageRows(transaction.tx, query) : await pageOfEntries(transaction.tx, entries, query);
  const stored = await itemsWithin(transaction.tx, collection, rows.slice(0, rowsTogether), responsePartBytes);
  const found = stored.map((item) => collection.parse(item));
  const next = rows.length > found.length ? rows[found.length - 1]?.uid : undefined;
  return { items: await v1(transaction, found), next };
}

/** A filter by uid. One that does not exist gives an empty list. */
function uidIs(field: string, column: "uid" | "parent", uid: string): Condition[] {
  if (uid === "") return [];
  if (!isUid(uid)) throw invalidArgument(field, "must be a uid");
  return [(row) => row(column, "=", uid)];
}
