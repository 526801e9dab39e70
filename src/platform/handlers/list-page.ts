import { clone, type DescMessage, type Message, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import { groups } from "../collections/groups.ts";
import { refuseOtherSorts } from "./resource-type.ts";
import { repos } from "../collections/repos.ts";
import type { Session } from "../service/session.ts";
import type { Reader } from "../store/database.ts";
import type { Collection } from "../resources/collection.ts";
import { type Order, readOrder } from "../resources/order.ts";
import { countRows, pageRows } from "../resources/page-rows.ts";
import { cutRegions, listedUids, type Region, regionsOfGroups, visibleRegions } from "../resources/region.ts";
import { type Condition, inRegions } from "../resources/row-condition.ts";
import { countBelow } from "../resources/tree-counts.ts";

const defaultPageSize = 50;
const maximumPageSize = 200;

/** The part of a List's request that is the same for all collections. */
type ListRequest = Message & {
  uidp?: UIDPFilter | undefined;
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** What differs between collections in which rows are listed. */
export interface Selection {
  /** The collection's own filters. */
  readonly conditions?: readonly Condition[];
  /** Parts of the collection that are not shown, and what holds of all rows that are in none of them. */
  readonly leftOut?: { readonly parts: readonly string[]; readonly others: Condition };
  /** Whether every caller sees the roots of the collection. */
  readonly rootsArePublic?: boolean;
}

export interface ListOptions<R extends DescMessage> extends Selection {
  readonly schema: R;
  readonly request: MessageShape<R> & ListRequest;
}

/** The list envelope without the name of its array. */
export interface Page<D extends DescMessage> {
  readonly items: MessageShape<D>[];
  readonly nextPageToken?: string;
  readonly totalCount: bigint;
  readonly skipped: number;
}

/**
 * One page of what the caller may see.
 * @throws ApiError (3) on a mistake in the request; never 7: without the right anywhere the list is empty
 */
export async function listPage<D extends DescMessage, R extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  options: ListOptions<R>,
): Promise<Page<D>> {
  const { tx: reader, pageTokens, now } = session;
  const { description } = collection;
  const { table } = description;
  const { request } = options;
  if (request.pageSize < 0) throw invalidArgument("page_size", "must not be negative");
  if (request.skip < 0) throw invalidArgument("skip", "must not be negative");
  const order = readOrder(request.orderBy, description.sortable, description.defaultOrder);
  const size = request.pageSize === 0 ? defaultPageSize : Math.min(request.pageSize, maximumPageSize);
  const query = queryOf(options.schema, request, order);
  const cursor = request.pageToken === "" ? undefined : pageTokens.read(request.pageToken, query, now);

  const { regions, conditions: filters } = await selectionOf(session, collection, request.uidp, options);
  const { leftOut } = options;
  const conditions = leftOut === undefined ? filters : [...filters, leftOut.others];
  if (regions.length === 0) return { items: [], totalCount: 0n, skipped: request.skip };
  const totalCount =
    filters.length === 0
      ? await keptCount(reader, collection, regions, leftOut?.parts ?? [])
      : await countRows(reader, table, [inRegions(regions), ...conditions]);
  const all = filters.length === 0 ? await countBelow(reader, table, { kind: "everything" }) : undefined;
  const rows = await pageRows(reader, {
    table,
    regions,
    conditions,
    order,
    cursor,
    skip: request.skip,
    // One more than the page tells whether there is a next one.
    limit: size + 1,
    share: all === undefined ? undefined : { found: totalCount, all },
  });
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => collection.parse(row.body)),
    ...(rows.length > size && last !== undefined
      ? { nextPageToken: pageTokens.issue(query, { sort: last[order.column], uid: last.uid }, now) }
      : {}),
    totalCount: BigInt(totalCount),
    skipped: request.skip,
  };
}

/** Where the rows are that the caller may see and asks for, and what else holds of them. @throws ApiError (3) */
export async function selectionOf<D extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  filter: UIDPFilter | undefined,
  { conditions = [], rootsArePublic = false }: Selection,
): Promise<{ readonly regions: readonly Region[]; readonly conditions: readonly Condition[] }> {
  const { description } = collection;
  const { access } = session;
  const coverage = access.coverage(description.listCapability);
  const places = cutRegions(visibleRegions(coverage, rootsArePublic), filter);
  const regions = description.oneAGroup ? regionsOfGroups(places) : places;
  const uids = listedUids(filter);
  await checkSorts(session, collection, filter);
  return { regions, conditions: uids === undefined ? conditions : [...conditions, uidIn(uids)] };
}

/** What a page token is bound to: the request without its page, size and skip. */
function queryOf<R extends DescMessage>(schema: R, request: MessageShape<R> & ListRequest, order: Order): string {
  const query = clone(schema, request) as MessageShape<R> & ListRequest;
  Object.assign(query, { pageSize: 0, pageToken: "", skip: 0, orderBy: `${order.column} ${order.direction}` });
  return `${schema.typeName} ${Buffer.from(toBinary(schema, query)).toString("base64url")}`;
}

/** What is in a place must be named by a group, or what else holds resources; `ids` by resources themselves. */
async function checkSorts<D extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  filter: UIDPFilter | undefined,
): Promise<void> {
  if (filter === undefined) return;
  const { description } = collection;
  const { descendantsOf, childrenOf, ids } = filter;
  const holders = description.table === "tags" ? [groups, repos] : [groups];
  if (descendantsOf !== "") await refuseOtherSorts(session, "uidp.descendants_of", [descendantsOf], holders);
  if (childrenOf !== "") await refuseOtherSorts(session, "uidp.children_of", [childrenOf], holders);
  if (ids.length > 0) await refuseOtherSorts(session, "uidp.ids", ids, description.oneAGroup ? [groups] : [collection]);
}

function uidIn(uids: readonly string[]): Condition {
  // An empty list of `in` is an error of SQL; nothing has an empty uid.
  return (row) => row("uid", "in", uids.length === 0 ? [""] : [...uids]);
}

async function keptCount<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  regions: readonly Region[],
  leftOut: readonly string[],
): Promise<number> {
  const { table, partOf } = collection.description;
  let count = 0;
  for (const region of regions) {
    if (region.kind !== "one") {
      count += await countBelow(reader, table, region);
      for (const part of leftOut) count -= await countBelow(reader, `${table}/${part}`, region);
    }
    if (region.kind !== "one" && region.kind !== "within") continue;
    const top = await collection.find(reader, region.uid);
    if (top !== undefined && !leftOut.includes(partOf?.(top) ?? "")) count += 1;
  }
  return count;
}
