import { clone, type DescMessage, type Message, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { groups } from "../collections/groups.ts";
import { invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import type { Collection } from "../resources/collection.ts";
import { type Order, readOrder } from "../resources/order.ts";
import { countRows, pageRows } from "../resources/page-rows.ts";
import { cutRegions, listedUids, type Region, regionsOfGroups, visibleRegions } from "../resources/region.ts";
import { type Condition, inRegions, onSharedColumns } from "../resources/row-condition.ts";
import { countBelow } from "../resources/tree-counts.ts";
import type { Session } from "../service/session.ts";
import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { checkResourceType } from "./resource-type.ts";

const defaultPageSize = 50;
const maximumPageSize = 200;

/** The part of a List request that all collections share. */
type ListRequest = Message & {
  uidp?: UIDPFilter | undefined;
  pageSize: number;
  pageToken: string;
  orderBy: string;
  skip: number;
};

/** The part of a List that differs between collections. */
export interface ListSelection<T extends ResourceTable> {
  /** The collection's own filters. */
  readonly conditions?: readonly Condition<T>[];
  /** Partitions of the collection that are not listed, and the condition that holds for the rows of all others. */
  readonly excluded?: { readonly partitions: readonly string[]; readonly others: Condition<T> };
  /** Whether every caller sees the roots of the collection. */
  readonly rootsArePublic?: boolean;
}

export interface ListOptions<R extends DescMessage, T extends ResourceTable> extends ListSelection<T> {
  readonly schema: R;
  readonly request: MessageShape<R> & ListRequest;
}

/** The list response without the name of its array. */
export interface Page<D extends DescMessage> {
  readonly items: MessageShape<D>[];
  readonly nextPageToken?: string;
  readonly totalCount: bigint;
  readonly skipped: number;
}

/**
 * Returns one page of the resources that the caller can see.
 * @throws ApiError (3) if the request is invalid; never 7: the list is empty for a caller without the capability
 */
export async function listPage<D extends DescMessage, R extends DescMessage, T extends ResourceTable>(
  session: Session,
  collection: Collection<D, T>,
  options: ListOptions<R, NoInfer<T>>,
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

  const { regions, filters, partitionFilter } = await selectRows(session, collection, request.uidp, options);
  const conditions = [...filters, ...partitionFilter];
  if (regions.length === 0) return { items: [], totalCount: 0n, skipped: request.skip };
  const totalCount =
    filters.length === 0
      ? await maintainedCount(reader, collection, regions, options.excluded?.partitions ?? [])
      : await countRows(reader, table, [inRegions(regions), ...conditions]);
  const tableCount = filters.length === 0 ? await countBelow(reader, table, { kind: "everything" }) : undefined;
  const rows = await pageRows(reader, {
    table,
    regions,
    conditions,
    order,
    cursor,
    skip: request.skip,
    // Read one more row than the page has, to know whether there is a next page.
    limit: size + 1,
    counts: tableCount === undefined ? undefined : { selected: totalCount, table: tableCount },
  });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    items: page.map((row) => collection.parse(row.body)),
    ...(rows.length > size && last !== undefined
      ? { nextPageToken: pageTokens.issue(query, { sort: last[order.column], uid: last.uid }, now) }
      : {}),
    totalCount: BigInt(totalCount),
    skipped: request.skip,
  };
}

/** The rows that a request selects and the caller can see. */
interface SelectedRows {
  readonly regions: readonly Region[];
  /** The filters of the request, apart from the place in the tree. */
  readonly filters: readonly Condition[];
  /** Excludes the partitions that are not listed. */
  readonly partitionFilter: readonly Condition[];
}

/** The rows that a request selects. @throws ApiError (3) if the filter is invalid */
export async function selectRows<D extends DescMessage, T extends ResourceTable>(
  session: Session,
  collection: Collection<D, T>,
  filter: UIDPFilter | undefined,
  { conditions = [], excluded, rootsArePublic = false }: ListSelection<NoInfer<T>>,
): Promise<SelectedRows> {
  const { description } = collection;
  const { access } = session;
  const coverage = access.coverage(description.listCapability);
  const places = cutRegions(visibleRegions(coverage, rootsArePublic), filter);
  const regions = description.singleton ? regionsOfGroups(places) : places;
  const uids = listedUids(filter);
  await checkResourceTypes(session, collection, filter);
  const filters = onSharedColumns(conditions);
  return {
    regions,
    filters: uids === undefined ? filters : [...filters, uidIn(uids)],
    partitionFilter: excluded === undefined ? [] : onSharedColumns([excluded.others]),
  };
}

/** The query that a page token is bound to: the request without page token, size and skip. */
function queryOf<R extends DescMessage>(schema: R, request: MessageShape<R> & ListRequest, order: Order): string {
  const query = clone(schema, request) as MessageShape<R> & ListRequest;
  Object.assign(query, { pageSize: 0, pageToken: "", skip: 0, orderBy: `${order.column} ${order.direction}` });
  return `${schema.typeName} ${Buffer.from(toBinary(schema, query)).toString("base64url")}`;
}

/** Requires that descendants_of and children_of name possible parents, and that ids name resources of the collection. */
async function checkResourceTypes<D extends DescMessage>(
  session: Session,
  collection: Collection<D>,
  filter: UIDPFilter | undefined,
): Promise<void> {
  if (filter === undefined) return;
  const { description } = collection;
  const { descendantsOf, childrenOf, ids } = filter;
  const parents = description.parent === undefined ? [groups] : [groups, description.parent];
  if (descendantsOf !== "") await checkResourceType(session, "uidp.descendants_of", [descendantsOf], parents);
  if (childrenOf !== "") await checkResourceType(session, "uidp.children_of", [childrenOf], parents);
  if (ids.length > 0)
    await checkResourceType(session, "uidp.ids", ids, description.singleton ? [groups] : [collection]);
}

function uidIn(uids: readonly string[]): Condition {
  // SQL does not allow an empty list for `in`. No resource has an empty uid.
  return (row) => row("uid", "in", uids.length === 0 ? [""] : [...uids]);
}

async function maintainedCount<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  regions: readonly Region[],
  excluded: readonly string[],
): Promise<number> {
  const { table, partitionOf } = collection.description;
  let count = 0;
  for (const region of regions) {
    if (region.kind !== "resource") {
      count += await countBelow(reader, table, region);
      for (const partition of excluded) count -= await countBelow(reader, `${table}/${partition}`, region);
    }
    if (region.kind !== "resource" && region.kind !== "subtree") continue;
    const top = await collection.find(reader, region.uid);
    if (top !== undefined && !excluded.includes(partitionOf?.(top) ?? "")) count += 1;
  }
  return count;
}
