import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { Coverage } from "../authorization/access.ts";
import { isRoot, isWithin, rootOf, subtreeOf } from "../contract/uid.ts";
import { invalidArgument } from "../errors/api-error.ts";
import { sizeLimits } from "../limits/size-limits.ts";
import { type Reader, statement } from "../store/database.ts";
import type { Tables } from "../store/schema/tables.ts";
import { orderToleranceMs } from "./time-order.ts";

/** Selects records. An undefined filter selects all. */
export interface RecordFilter {
  /** As `nameOf` returns it. */
  readonly actor?: string | undefined;
  /** The name of a method, or its end after a dot. */
  readonly method?: string | undefined;
  /** A uid, which stands for itself and everything below it. */
  readonly resource?: string | undefined;
  readonly code?: number | undefined;
  /** Milliseconds since the epoch. `since` is inclusive, `until` exclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

export interface RecordQuery {
  /** Where the caller may read records. */
  readonly coverage: Coverage;
  readonly filter: RecordFilter;
  readonly direction: "asc" | "desc";
  /** The sequence of the last record of the previous page. */
  readonly cursor: number | undefined;
  readonly skip: number;
  readonly limit: number;
}

export interface RecordPage {
  /** The sequences of the records, in order. */
  readonly sequences: readonly number[];
  /** Where the next page continues if `sequences` has fewer than `limit`; undefined at the end of the log. */
  readonly examinedUntil: number | undefined;
  /** How many records the query selects; if more than the limit would have to be examined, the limit. */
  readonly totalCount: number;
}

/** The records that a query examines. */
const mostExamined = sizeLimits.auditScan.value;
/** More places are not searched: the condition would be too long. */
const mostPlaces = 100;

type Row = ExpressionBuilder<Tables, "audit_log">;
type Condition = (row: Row) => Expression<SqlBool>;

/** A condition that an index serves. */
interface Driver {
  readonly condition: Condition | undefined;
  /** Whether the index has its rows in the order of the log. */
  readonly ordered: boolean;
}

/**
 * Returns a page of the log. It examines a bounded number of records, whatever the filters are. If an index finds few enough,
 * all of them are filtered and sorted, and counted exactly. Otherwise it walks along the log, or along the part of it that an
 * index has in order, and a page may have fewer records than its limit although more follow.
 * @throws ApiError (3) if the caller may read in too many places, or if `skip` would examine too much
 */
export async function queryRecords(reader: Reader, query: RecordQuery): Promise<RecordPage> {
  const { filter, direction, cursor, skip, limit } = query;
  const places = placesOf(query.coverage, filter.resource);
  if (places !== "everywhere" && places.length === 0) return { sequences: [], examinedUntil: undefined, totalCount: 0 };
  if (places.length > mostPlaces && places !== "everywhere")
    throw invalidArgument(
      "resource",
      `is required: the caller can read records in ${places.length} parts of the tree; name one of them`,
    );
  const first = filter.since === undefined ? 0 : await firstSince(reader, filter.since - orderToleranceMs);
  const filters = conditionsOf(places, filter);
  const drivers = driversOf(places, isOwnActor(query.coverage, filter.actor) ? filter.actor : undefined);
  for (const driver of drivers) {
    const examined = (db: Db) => examinedRows(db, driver, first, direction).limit(mostExamined + 1);
    const found = await count(reader, examined, []);
    if (found > mostExamined) continue;
    const sequences = await select(reader, examined, { filters, direction, cursor, skip, limit });
    return { sequences, examinedUntil: undefined, totalCount: await count(reader, examined, filters) };
  }
  const driver = drivers.find(({ ordered }) => ordered) ?? wholeLog;
  const examined = (db: Db) =>
    examinedRows(db, driver, first, direction)
      .$if(cursor !== undefined, (rows) => rows.where("sequence", direction === "asc" ? ">" : "<", cursor ?? 0))
      .limit(mostExamined);
  const sequences = await select(reader, examined, { filters, direction, cursor, skip, limit });
  if (sequences.length === limit) return { sequences, examinedUntil: undefined, totalCount: mostExamined };
  if (skip > 0)
    throw invalidArgument(
      "skip",
      `would examine more than ${mostExamined} records; follow nextPageToken, or narrow the list with since`,
    );
  const [last] = await reader.query((db) =>
    examined(db)
      .clearLimit()
      .clearSelect()
      .select("sequence")
      .limit(1)
      .offset(mostExamined - 1),
  );
  return { sequences, examinedUntil: last?.sequence, totalCount: mostExamined };
}

type Db = Parameters<Parameters<Reader["query"]>[0]>[0];

/** The order makes a database read along the index, up to the limit, and not all that it finds. */
function examinedRows(db: Db, { condition, ordered }: Driver, first: number, direction: "asc" | "desc") {
  return db
    .selectFrom("audit_log")
    .select(["sequence", "time", "actor", "uid", "method", "code"])
    .$if(condition !== undefined, (rows) => rows.where((row) => condition?.(row) ?? row.lit(true)))
    .$if(ordered && first > 0, (rows) => rows.where("sequence", ">=", first))
    .$if(ordered, (rows) => rows.orderBy("sequence", direction));
}

type Examined = (db: Db) => ReturnType<typeof examinedRows>;

/** The subquery has a limit, so that a database runs it first, on its index. */
async function select(
  reader: Reader,
  examined: Examined,
  {
    filters,
    direction,
    cursor,
    skip,
    limit,
  }: Pick<RecordQuery, "direction" | "cursor" | "skip" | "limit"> & {
    readonly filters: readonly Condition[];
  },
): Promise<number[]> {
  const found = await reader.query((db) =>
    db
      .selectFrom(examined(db).as("audit_log"))
      .select("audit_log.sequence")
      .where((row) => row.and(filters.map((condition) => condition(row as unknown as Row))))
      .$if(cursor !== undefined, (rows) => rows.where("sequence", direction === "asc" ? ">" : "<", cursor ?? 0))
      .orderBy("sequence", direction)
      .limit(limit)
      .offset(skip),
  );
  return found.map(({ sequence }) => sequence);
}

async function count(reader: Reader, examined: Examined, filters: readonly Condition[]): Promise<number> {
  const [row] = await reader.query((db) =>
    db
      .selectFrom(examined(db).as("audit_log"))
      .select((all) => all.fn.countAll<number | string>().as("count"))
      .where((all) => all.and(filters.map((condition) => condition(all as unknown as Row)))),
  );
  return Number(row?.count ?? 0);
}

/** The parts of the tree in which records are listed. None is within another. */
function placesOf(coverage: Coverage, resource: string | undefined): Coverage {
  if (resource === undefined) return coverage;
  if (coverage === "everywhere" || coverage.some((uid) => isWithin(uid, resource))) return [resource];
  return coverage.filter((uid) => isWithin(resource, uid));
}

/**
 * Whether the records of the actor may be searched by their index, which has those of all root groups. How many they are shows in
 * the time that a page takes, and in where it ends: of an actor of others, that would tell the caller what it does elsewhere.
 */
function isOwnActor(coverage: Coverage, actor: string | undefined): boolean {
  return actor !== undefined && (coverage === "everywhere" || coverage.some((uid) => isWithin(uid, actor)));
}

const wholeLog: Driver = { condition: undefined, ordered: true };

/** @param actor undefined unless its records may be searched by their index */
function driversOf(places: Coverage, actor: string | undefined): Driver[] {
  const drivers: Driver[] = [];
  if (actor !== undefined) drivers.push({ condition: (row) => row("actor", "=", actor), ordered: true });
  if (places !== "everywhere") {
    if (places.length > 1 || !places.every(isRoot)) drivers.push({ condition: within(places), ordered: false });
    // The records of other root groups are not walked along: with many of them, a page would have none of the caller's.
    const [root, ...others] = new Set(places.map(rootOf));
    if (root !== undefined && others.length === 0)
      drivers.push({ condition: (row) => row("root", "=", root), ordered: true });
  }
  return drivers.length === 0 ? [wholeLog] : drivers;
}

function conditionsOf(places: Coverage, { actor, method, code, since, until }: RecordFilter): Condition[] {
  const conditions: Condition[] = [];
  if (places !== "everywhere") conditions.push(within(places));
  if (actor !== undefined) conditions.push((row) => row("actor", "=", actor));
  if (code !== undefined) conditions.push((row) => row("code", "=", code));
  if (since !== undefined) conditions.push((row) => row("time", ">=", since));
  if (until !== undefined) conditions.push((row) => row("time", "<", until));
  if (method !== undefined) {
    const end = `.${method}`;
    conditions.push((row) =>
      row.or([
        row("method", "=", method),
        row(
          sql<string>`substr(${row.ref("method")}, length(${row.ref("method")}) - ${sql.lit(end.length - 1)})`,
          "=",
          end,
        ),
      ]),
    );
  }
  return conditions;
}

function within(places: readonly string[]): Condition {
  return (row) => row.or(places.map((uid) => row.and([row("uid", ">=", uid), row("uid", "<", subtreeOf(uid).to)])));
}

const timeFrom = statement((db, p: { sequence: number }) =>
  db
    .selectFrom("audit_log")
    .select(["sequence", "time"])
    .where("sequence", ">=", p.sequence)
    .orderBy("sequence")
    .limit(1),
);
const newest = statement((db) => db.selectFrom("audit_log").select("sequence").orderBy("sequence", "desc").limit(1));

/** The sequence from which on records are from this time or later, if their times increase. */
async function firstSince(reader: Reader, time: number): Promise<number> {
  let low = 0;
  let high = ((await reader.first(newest, {}))?.sequence ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await reader.first(timeFrom, { sequence: middle });
    if (row === undefined || row.time >= time) high = middle;
    else low = row.sequence + 1;
  }
  return low;
}
