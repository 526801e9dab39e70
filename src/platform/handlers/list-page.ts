import { type DescMessage, isFieldSet, type MessageShape } from "@bufbuild/protobuf";
import { groups } from "../collections/groups.ts";
import { type ApiError, invalidArgument } from "../errors/api-error.ts";
import type { UIDPFilter } from "../gen/muster/platform/common/uidp_pb.ts";
import { readyJson } from "../json/ready-json.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import type { Collection } from "../resources/collection.ts";
import { filteredEntries, pageOfEntries } from "../resources/filtered-entries.ts";
import { placesOf } from "../resources/each-place.ts";
import { readOrder } from "../resources/order.ts";
import { fewRegions } from "../resources/many-regions.ts";
import type { PageQuery, PageRow } from "../resources/page-query.ts";
import { countRows, pageRows } from "../resources/page-rows.ts";
import { regionCounts } from "../resources/region-counts.ts";
import { RegionSet } from "../resources/region-set.ts";
import { cutRegions, listedUids, type Region, regionsOfGroups, visibleRegions } from "../resources/region.ts";
import { type Condition, onSharedColumns } from "../resources/row-condition.ts";
import { countBelow } from "../resources/tree-counts.ts";
import { storedList } from "../service/stored-list.ts";
import type { Transaction } from "../service/transaction.ts";
import type { Reader } from "../store/database.ts";
import type { ResourceTable } from "../store/schema/tables.ts";
import { pageBytes, type PageRequest, pageSizeOf, queryOf } from "./page-request.ts";
import { checkResourceType } from "./resource-type.ts";

/** The part of a List that differs between collections. */
export interface ListSelection<T extends ResourceTable> {
  /** The collection's own filters that an index serves. */
  readonly conditions?: readonly Condition<T>[];
  /** The filters that no index serves, so that every row must be examined. */
  readonly scanned?: readonly Condition<T>[];
  /** Partitions of the collection that are not listed, and the condition that holds for the rows of all others. */
  readonly excluded?: { readonly partitions: readonly string[]; readonly others: Condition<T> };
  /** Whether every caller sees the roots of the collection. */
  readonly rootsArePublic?: boolean;
}

export interface ListOptions<R extends DescMessage, T extends ResourceTable> extends ListSelection<T> {
  readonly schema: R;
  readonly request: MessageShape<R> & PageRequest & { readonly uidp?: UIDPFilter | undefined };
}

/** The list response without the name of its array. */
export interface Page<I> {
  readonly items: I[];
  readonly nextPageToken?: string;
  readonly totalCount: bigint;
  readonly skipped: number;
}

/**
 * Returns one page of the resources that the caller can see, for responses that show them in another form than the stored one.
 * @throws ApiError (3) if the request is invalid; never 7: the list is empty for a caller without the capability
 */
export async function listPage<D extends DescMessage, R extends DescMessage, T extends ResourceTable>(
  transaction: Transaction,
  collection: Collection<D, T>,
  options: ListOptions<R, NoInfer<T>>,
): Promise<Page<MessageShape<D>>> {
  const page = await storedPage(transaction, collection, options);
  return { ...page, items: page.items.map((item) => collection.parse(item)) };
}

/**
 * Returns the response with one page of the resources that the caller can see, as they are stored.
 * @throws ApiError as `listPage`
 */
export async function listStored<
  D extends DescMessage,
  R extends DescMessage,
  T extends ResourceTable,
  L extends DescMessage,
>(
  transaction: Transaction,
  collection: Collection<D, T>,
  response: L,
  options: ListOptions<R, NoInfer<T>>,
): Promise<MessageShape<L>> {
  const { items, ...page } = await storedPage(transaction, collection, options);
  return storedList(response, items, page);
}

async function storedPage<D extends DescMessage, R extends DescMessage, T extends ResourceTable>(
  transaction: Transaction,
  collection: Collection<D, T>,
  options: ListOptions<R, NoInfer<T>>,
): Promise<Page<Uint8Array>> {
  const { tx: reader, pageTokens, now } = transaction;
  const { description } = collection;
  const { table } = description;
  const { request } = options;
  const size = pageSizeOf(request, sizeLimits.skip.value);
  const order = readOrder(request.orderBy, description.sortable, description.defaultOrder);
  const query = queryOf(options.schema, request, order);
  const cursor = request.pageToken === "" ? undefined : pageTokens.read(request.pageToken, query, now);

  const selected = await selectRows(transaction, collection, request.uidp, options);
  const { regions, filters, scanned, partitionFilter } = selected;
  const conditions = [...filters, ...scanned, ...partitionFilter];
  if (regions.length === 0) return { items: [], totalCount: 0n, skipped: request.skip };
  const excluded = options.excluded?.partitions ?? [];
  const isFiltered = filters.length + scanned.length > 0;
  const field = filterOf(options.schema, request);
  const entries =
    isFiltered && regions.length > fewRegions
      ? await filteredEntries(reader, collection, { ...selected, excluded, order }, sizeLimits.scan.value)
      : "few regions";
  if (entries === undefined) throw tooManyExamined(field);
  const counts =
    entries === "few regions" ? await countsOf(reader, collection, selected, excluded, field) : [entries.length];
  const totalCount = counts.reduce((sum, count) => sum + count, 0);
  const page = { totalCount: BigInt(totalCount), skipped: request.skip };
  if (totalCount === 0 || (cursor === undefined && request.skip >= totalCount)) return { items: [], ...page };
  // Only pages in another order depend on the size of the table.
  const tableCount = async () =>
    order.column === "uid" ? totalCount : await countBelow(reader, table, { kind: "everything" });
  const pageQuery: PageQuery = {
    table,
    regions,
    conditions,
    order,
    cursor,
    skip: request.skip,
    // Read one more row than the page has, to know whether there is a next page.
    limit: size + 1,
    counts: isFiltered ? undefined : { selected: totalCount, table: await tableCount() },
    regionCounts: counts.length === regions.length ? counts : undefined,
  };
  const rows =
    entries === "few regions" ? await pageRows(reader, pageQuery) : await pageOfEntries(reader, entries, pageQuery);
  const items = await itemsWithin(reader, collection, rows.slice(0, size), pageBytes);
  const last = rows[items.length - 1];
  return {
    items,
    ...(rows.length > items.length && last !== undefined
      ? { nextPageToken: pageTokens.issue(query, { sort: last.sort, uid: last.uid }, now) }
      : {}),
    ...page,
  };
}

/** The rows that a request selects and the caller can see. */
interface SelectedRows {
  readonly regions: readonly Region[];
  /** The filters of the request that an index serves, apart from the place in the tree. */
  readonly filters: readonly Condition[];
  /** Those that no index serves. */
  readonly scanned: readonly Condition[];
  /** Excludes the partitions that are not listed. */
  readonly partitionFilter: readonly Condition[];
}

/** The rows that a request selects. @throws ApiError (3) if the filter is invalid */
export async function selectRows<D extends DescMessage, T extends ResourceTable>(
  transaction: Transaction,
  collection: Collection<D, T>,
  filter: UIDPFilter | undefined,
  { conditions = [], scanned = [], excluded, rootsArePublic = false }: ListSelection<NoInfer<T>>,
): Promise<SelectedRows> {
  const { description } = collection;
  const { access } = transaction;
  const coverage = access.coverage(description.listCapability);
  const places = cutRegions(visibleRegions(coverage, rootsArePublic), filter);
  const regions = description.singleton ? regionsOfGroups(places) : places;
  const uids = listedUids(filter);
  await checkResourceTypes(transaction, collection, filter);
  const filters = onSharedColumns(conditions);
  const partitionFilter = excluded === undefined ? [] : onSharedColumns([excluded.others]);
  const examined = onSharedColumns(scanned);
  if (uids === undefined) return { regions, filters, scanned: examined, partitionFilter };
  const visible = new RegionSet(regions);
  const listed = uids.filter((uid) => visible.has(uid));
  return {
    regions: listed.length === 0 ? [] : [{ kind: "everything" }],
    filters: [...filters, uidIn(listed)],
    scanned: examined,
    partitionFilter,
  };
}

const commonFields: ReadonlySet<string> = new Set(["uidp", "page_size", "page_token", "order_by", "skip"]);

/** The name of the first filter of a request apart from `uidp`. */
function filterOf<R extends DescMessage>({ fields }: R, request: MessageShape<R>): string {
  return fields.find((field) => !commonFields.has(field.name) && isFieldSet(request, field))?.name ?? "uidp";
}

/** Requires that descendants_of and children_of name possible parents, and that ids name resources of the collection. */
async function checkResourceTypes<D extends DescMessage>(
  transaction: Transaction,
  collection: Collection<D>,
  filter: UIDPFilter | undefined,
): Promise<void> {
  if (filter === undefined) return;
  const { description } = collection;
  const { descendantsOf, childrenOf, ids } = filter;
  const parents = description.parent === undefined ? [groups] : [groups, description.parent];
  if (descendantsOf !== "") await checkResourceType(transaction, "uidp.descendants_of", [descendantsOf], parents);
  if (childrenOf !== "") await checkResourceType(transaction, "uidp.children_of", [childrenOf], parents);
  if (ids.length > 0)
    await checkResourceType(transaction, "uidp.ids", ids, description.singleton ? [groups] : [collection]);
}

function uidIn(uids: readonly string[]): Condition {
  return (row) => row("uid", "in", uids);
}

/**
 * The number of selected rows: for each region where they are maintained, otherwise of all together, in a few regions.
 * @param field the name of a filter, for the error
 * @throws ApiError (3) that names the filter if too many rows would have to be examined
 */
async function countsOf<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  { regions, filters, scanned, partitionFilter }: SelectedRows,
  excluded: readonly string[],
  field: string,
): Promise<number[]> {
  if (filters.length + scanned.length === 0) return regionCounts(reader, collection, regions, excluded);
  const { table } = collection.description;
  const most = sizeLimits.scan.value;
  const count = async (conditions: readonly Condition[]): Promise<number[]> => [
    await countRows(reader, table, placesOf(regions), [...conditions, ...partitionFilter], most + 1),
  ];
  const candidates =
    filters.length === 0 ? await regionCounts(reader, collection, regions, excluded) : await count(filters);
  if (candidates.reduce((sum, one) => sum + one, 0) > most) throw tooManyExamined(field);
  return scanned.length === 0 ? candidates : count([...filters, ...scanned]);
}

/** @param field the name of the filter that selects too many rows */
function tooManyExamined(field: string): ApiError {
  return invalidArgument(
    field,
    `would examine more than ${sizeLimits.scan.value} resources; narrow the list with uidp.descendants_of or another filter`,
  );
}

/**
 * The resources of the rows as they are stored, as many as have this number of bytes as JSON; at least one. Large ones are read one
 * after the other.
 */
export async function itemsWithin<D extends DescMessage>(
  reader: Reader,
  collection: Collection<D>,
  rows: readonly PageRow[],
  maximumBytes: number,
): Promise<Uint8Array[]> {
  const items: Uint8Array[] = [];
  let most = 0;
  for (const { body } of rows) most += body === null ? Number.POSITIVE_INFINITY : mostBytesInJson(body);
  if (most <= maximumBytes) {
    for (const { body } of rows) if (body !== null) items.push(body);
    return items;
  }
  const { schema } = collection.description;
  let bytes = 0;
  for (const { uid, body } of rows) {
    const item = body ?? (await collection.findStored(reader, uid));
    if (item === undefined) throw new Error(`row ${uid} disappeared within a transaction`);
    bytes += Buffer.byteLength(readyJson(schema, item));
    if (items.length > 0 && bytes > maximumBytes) break;
    items.push(item);
  }
  return items;
}

/** More bytes than a stored resource has as JSON, which has the names of fields and enum values, zero values and escapes. */
function mostBytesInJson(body: Uint8Array): number {
  return 10 * body.length + 2_048;
}
